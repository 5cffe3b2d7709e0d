import { builtIn } from './defined/compile';
import type { Dialect } from './dialect';
import type { RunReader } from './engine/runReader';
import file from './hfTrl.yaml';
import { datasetsBy, templateBy } from './shared/datasets';
import { loraSettings, methodBy, methodKey } from './shared/peft';
import type { LoraKeys } from './shared/peft';
import type { DatasetRef } from '../spec/dataset';
import type { Quantity } from '../spec/quantity';
import type { LoraSettings, Method } from '../spec/values';

/** sft_config.py: chat_template_path; the alignment handbook has a template text. */
const ownTemplate = templateBy('chat_template_path', 'chat_template');

const named = datasetsBy(
  // scripts/utils.py: DatasetMixtureConfig has `datasets`, each with a path and data_files.
  { in: 'datasets', path: 'path', files: 'data_files', template: 'chat', ownTemplate },
  { in: 'dataset_mixture.datasets', path: 'id', template: 'chat', ownTemplate },
  { path: 'dataset_mixer', template: 'chat', ownTemplate },
  { path: 'dataset_name', template: 'chat', ownTemplate },
  { path: 'dataset_path', template: 'chat', ownTemplate },
  { path: 'train_file', template: 'chat', ownTemplate },
);

/** Text rows come from `dataset_text_field` (sft_config.py); message rows are recognized by their columns. */
function hfTrlDatasets(run: RunReader): readonly DatasetRef[] {
  const refs = named(run);
  const text = run.word('dataset_text_field');
  return text === null || text === 'text' ? refs : refs.map(ref => ({ ...ref, columns: { text } }));
}

/** Keys that only one trainer has. */
const TRAINER_KEYS: readonly (readonly [task: string, keys: readonly string[]])[] = [
  ['grpo', ['reward_funcs', 'num_generations']],
  ['rloo', ['rloo_k']],
  ['gkd', ['teacher_model_name_or_path', 'seq_kd', 'lmbda']],
  ['ppo', ['num_ppo_epochs', 'vf_coef', 'num_mini_batches', 'whiten_rewards']],
  ['online_dpo', ['judge', 'missing_eos_penalty', 'reward_model_path']],
  ['simpo', ['gamma_beta_ratio', 'simpo_gamma']],
  ['kto', ['desirable_weight', 'undesirable_weight']],
  ['cpo', ['cpo_alpha']],
  ['reward', ['center_rewards_coefficient']],
];

/** Losses that only the CPO trainer has: `loss_type: simpo`. */
const CPO_LOSSES = ['simpo', 'alphapo'];

/** Tasks whose trainers take `beta` and `max_prompt_length` as well as DPO's: a name that says so tells them apart. */
const LIKE_DPO = ['orpo', 'simpo', 'cpo', 'kto', 'ipo'];

/** Keys of the SFT trainer that other trainers reject. */
const SFT_KEYS = [
  'max_seq_length',
  'packing',
  'dataset_text_field',
  'assistant_only_loss',
  'completion_only_loss',
];

const TASK_WORDS = [
  'sft',
  'dpo',
  'orpo',
  'kto',
  'grpo',
  'simpo',
  'cpo',
  'ipo',
  'rloo',
  'reward',
  'prm',
  'ppo',
  'gkd',
];

/** Number of folders above the config that may be named after the task. */
const NEAR_FOLDERS = 3;

/**
 * The task is not a key: the started script decides it, and the config's folder is usually named after it. Keys of
 * a single trainer are certain; then come the folder, pairs of keys, and words of the file's name.
 */
function task(run: RunReader): Quantity<string> {
  const stated = run.has('trainer') ? run.word('trainer') : null;
  if (stated !== null && TASK_WORDS.includes(stated)) return run.at('trainer', stated);
  for (const [name, keys] of TRAINER_KEYS) {
    const key = keys.find(one => run.has(one));
    if (key !== undefined) {
      return run.derived(name, [key], `${key} is a key of the ${name.toUpperCase()} trainer`);
    }
  }
  const folders = run.pathWords.slice(0, -1).slice(-NEAR_FOLDERS);
  const folder = TASK_WORDS.find(name => folders.includes(name));
  if (folder !== undefined) return run.derived(folder, ['path'], `the config is in a folder ${folder}`);
  const loss = run.word('loss_type');
  if (loss !== null && CPO_LOSSES.includes(loss)) return run.at('loss_type', 'simpo');
  const names = run.pathWords.slice(-2).flatMap(word => word.split(/[^a-z]+/));
  const named = LIKE_DPO.find(name => names.includes(name));
  if (named !== undefined) return run.derived(named, ['path'], `its name says ${named}`);
  const beside = ['beta', 'ref_model', 'loss_type'].find(key => run.has(key));
  if (beside !== undefined && run.has('max_prompt_length')) {
    return run.derived(
      'dpo',
      [beside, 'max_prompt_length'],
      `${beside} and max_prompt_length are keys of the DPO trainer`,
    );
  }
  const sft = SFT_KEYS.find(key => run.has(key));
  if (sft !== undefined) return run.derived('sft', [sft], `${sft} is a key of the SFT trainer`);
  const file = TASK_WORDS.find(name =>
    run.pathWords
      .at(-1)
      ?.split(/[^a-z]+/)
      .includes(name),
  );
  if (file !== undefined) return run.derived(file, ['path'], `the config's name says ${file}`);
  return run.unknown('The task is the script that is started; neither keys nor path say which.');
}

/** Switches for adapters: TRL's own, and those of scripts around its trainers. */
const SWITCHES = [
  'use_peft',
  'use_peft_lora',
  'use_lora',
  'use_qlora',
  'enable_lora',
  'enable_peft',
  'lora_enable',
  'lora_enabled',
  'peft_enabled',
];

/** The enabled switch; null: no adapters are requested. */
const adapterSwitch = (run: RunReader): string | null => SWITCHES.find(key => run.flag(key)) ?? null;

function method(run: RunReader): Quantity<Method> {
  const own = methodKey(run);
  if (own !== null) return methodBy(run, own);
  const key = adapterSwitch(run);
  if (key !== null) return run.at(key, fourBitSwitch(run) === null ? 'lora' : 'qlora');
  // transformers trainer.py: purely quantized models are refused, so that the program makes adapters of these keys.
  const four = fourBitSwitch(run);
  const rank = LORA.r.find(name => run.has(name));
  if (four !== null && rank !== undefined) return run.at(rank, 'qlora');
  if (run.flag('use_4bit_quantization') || run.flag('use_8bit_quantization')) {
    return run.unknown('Quantized weights are not trained, but no key switches adapters on.');
  }
  if (run.has('spectrum_config_path')) return run.at<Method>('spectrum_config_path', 'freeze');
  return run.byDefault('full', 'trl model_config.py: use_peft is false');
}

/** The switch for 4-bit weights: TRL's, and that of PEFT's own training script (peft/examples/sft/train.py). */
const fourBitSwitch = (run: RunReader): string | null =>
  ['load_in_4bit', 'use_4bit_quantization'].find(key => run.flag(key)) ?? null;

const LORA: LoraKeys = {
  r: ['lora_r', 'lora_rank', 'r'],
  alpha: ['lora_alpha'],
  dropout: ['lora_dropout'],
  targets: ['lora_target_modules', 'target_modules'],
  modulesToSave: ['lora_modules_to_save'],
  rslora: ['use_rslora'],
  dora: ['use_dora'],
  targetParameters: ['lora_target_parameters'],
  defaults: { r: 16, alpha: 32, dropout: 0.05 },
};

function lora(run: RunReader): Quantity<LoraSettings> {
  const own = methodKey(run);
  const trained = run.get('method').value;
  const isOn = trained === 'lora' || trained === 'qlora';
  const key =
    (isOn ? own : null) ?? adapterSwitch(run) ?? (isOn ? (LORA.r.find(name => run.has(name)) ?? null) : null);
  if (key === null) {
    return run.get('method').value === null
      ? run.unknown('What is trained is not known.')
      : run.none('trl model_config.py: use_peft is false');
  }
  return loraSettings(run, LORA, [key]);
}

/**
 * TRL, alignment-handbook, open-r1 and similar: transformers' TrainingArguments and a trainer's own keys, flat in
 * one YAML. Dated facts are from the release tags of huggingface/trl up to f2cd577.
 */
export const hfTrl: Dialect = builtIn(file, {
  quantities: { task, method, lora },
  datasets: hfTrlDatasets,
});
