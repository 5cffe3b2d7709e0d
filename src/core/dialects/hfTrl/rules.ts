import type { Quantity } from '../../spec/quantity';
import type { Dtype, LoraSettings, Method, Quantization } from '../../spec/values';
import type { RunReader } from '../engine/runReader';
import { fourBit, int8, loraSettings } from '../shared/peft';
import type { LoraKeys } from '../shared/peft';
import { loadDtype as loadDtypeOf } from '../shared/loading';
import { dtypeWord } from '../shared/words';

/** Keys that only one trainer has. */
const TRAINER_KEYS: readonly (readonly [task: string, keys: readonly string[]])[] = [
  ['grpo', ['reward_funcs', 'num_generations']],
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
export function task(run: RunReader): Quantity<string> {
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
  if (run.has('beta') && run.has('max_prompt_length')) {
    return run.derived(
      'dpo',
      ['beta', 'max_prompt_length'],
      'beta and max_prompt_length are keys of the DPO trainer',
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
export const adapterSwitch = (run: RunReader): string | null => SWITCHES.find(key => run.flag(key)) ?? null;

/** What scripts around TRL's trainers call the choice of what is trained. */
const METHOD_KEY = /^(?:peft|tuner|tuning|finetuning|finetune|adapter|train|training)_(?:method|type|mode)$/;

/** The key by which a script of its own chooses the method; null: it has none. */
const methodKey = (run: RunReader): string | null =>
  run.keys().find(key => METHOD_KEY.test(key) && run.has(key)) ?? null;

/** A method that no one knows is not full training. */
function methodBy(run: RunReader, key: string): Quantity<Method> {
  const word = run.word(key)?.toLowerCase() ?? '';
  const isFourBit = run.get('quantization').value?.bits === 4;
  if (/q-?lora/.test(word)) return run.at<Method>(key, 'qlora');
  if (word.includes('lora')) return run.at<Method>(key, isFourBit ? 'qlora' : 'lora');
  if (/^(?:full|none|null|sft|all)$/.test(word)) return run.at<Method>(key, 'full');
  return run.unknown(`${key}: ${word} is a method that is not known here.`);
}

export function method(run: RunReader): Quantity<Method> {
  const own = methodKey(run);
  if (own !== null) return methodBy(run, own);
  const key = adapterSwitch(run);
  if (key !== null) return run.at(key, fourBitSwitch(run) === null ? 'lora' : 'qlora');
  if (run.flag('use_4bit_quantization') || run.flag('use_8bit_quantization')) {
    return run.unknown('Quantized weights are not trained, but no key switches adapters on.');
  }
  if (run.has('spectrum_config_path')) return run.at<Method>('spectrum_config_path', 'freeze');
  return run.byDefault('full', 'trl model_config.py: use_peft is false');
}

/** Samples are truncated to this many tokens; GRPO truncates prompts and completions separately. */
export function seqLen(run: RunReader): Quantity<number> {
  if (run.get('task').value === 'grpo' || run.get('task').value === 'rloo') return promptAndCompletion(run);
  if (run.get('task').value === 'ppo') {
    return run.unknown('Prompts are not cut, and no key says how long they are.');
  }
  if (run.get('task').value === 'online_dpo' && !run.has('max_length')) {
    return run.byDefault(512, 'trl online_dpo_config.py: max_length is 512');
  }
  const key = ['max_seq_length', 'max_length', 'max_seq_len'].find(name => run.has(name));
  if (key !== undefined) return run.at(key, run.count(key));
  if (run.isNull('max_length')) return run.unknown('max_length is null: samples are not cut.');
  const short = run.get('task').value !== 'sft' && !run.atLeast('0.12.0');
  return short
    ? run.byDefault(512, 'trl dpo_trainer.py: max_length falls back to 512')
    : run.byDefault(1024, 'trl sft_config.py, dpo_config.py, reward_config.py');
}

/** trl grpo_config.py, max_completion_length (from wheels 1.6 and 1.13). */
export const completionByDefault = (run: RunReader): number => (run.atLeast('1.13.0') ? 512 : 256);

function promptAndCompletion(run: RunReader): Quantity<number> {
  const completion = run.count('max_completion_length') ?? completionByDefault(run);
  const prompt = run.count('max_prompt_length') ?? (run.atLeast('0.26.0') ? null : 512);
  if (prompt === null) return run.unknown('Prompts are not cut: max_prompt_length is not set.');
  const total = prompt + completion;
  return run.derived(
    total,
    ['max_prompt_length', 'max_completion_length'],
    `${prompt} prompt + ${completion} completion`,
  );
}

/** Since 0.19 bf16 is on unless fp16 is. */
export function precision(run: RunReader): Quantity<string> {
  if (run.flag('bf16')) return run.at('bf16', 'bf16');
  if (run.flag('fp16')) return run.at('fp16', 'fp16');
  const stated = run.flag('bf16') === false;
  if (stated) return run.at('bf16', 'fp32');
  return run.atLeast('0.19.0')
    ? run.byDefault('bf16', 'trl base_config.py: bf16 is on unless fp16 is')
    : run.byDefault('fp32', 'transformers training_args.py: bf16 and fp16 are off');
}

/** `torch_dtype` before 0.27. */
export const DTYPE_KEYS = ['dtype', 'torch_dtype'];

export function loadDtype(run: RunReader): Quantity<Dtype> {
  const stated = DTYPE_KEYS.some(key => run.has(key));
  return !stated && run.atLeast('0.27.0')
    ? run.byDefault('fp32', 'trl model_config.py: dtype is float32')
    : loadDtypeOf(run, DTYPE_KEYS);
}

/** The key that names fms-acceleration's file, whose plugins change how the trainer loads and computes. */
export const PLUGINS = 'acceleration_framework_config_file';

/** The switch for 4-bit weights: TRL's, and that of PEFT's own training script (peft/examples/sft/train.py). */
const fourBitSwitch = (run: RunReader): string | null =>
  ['load_in_4bit', 'use_4bit_quantization'].find(key => run.flag(key)) ?? null;

export function quantization(run: RunReader): Quantity<Quantization> {
  const plugged = run.part(PLUGINS)?.get('quantization');
  if (plugged && plugged.value !== null) return plugged;
  const four = fourBitSwitch(run);
  if (four !== null) {
    const type = run.word('bnb_4bit_quant_type') ?? 'nf4';
    const kept = ['bnb_4bit_quant_storage', 'bnb_4bit_quant_storage_dtype'].find(key => run.has(key));
    const storage = kept === undefined ? null : run.read(kept, dtypeWord);
    const nested = run.flag('use_bnb_nested_quant') ?? run.flag('use_nested_quant') ?? false;
    return run.at(four, fourBit(type, nested, run.get('loadDtype').value, storage));
  }
  const eight = ['load_in_8bit', 'use_8bit_quantization'].find(key => run.flag(key));
  if (eight !== undefined) return run.at(eight, int8);
  return run.none('trl model_config.py: load_in_4bit and load_in_8bit are false');
}

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

export function lora(run: RunReader): Quantity<LoraSettings> {
  const own = methodKey(run);
  const trained = own === null ? null : run.get('method').value;
  const key = trained === 'lora' || trained === 'qlora' ? own : adapterSwitch(run);
  if (key === null) {
    return run.get('method').value === null
      ? run.unknown('What is trained is not known.')
      : run.none('trl model_config.py: use_peft is false');
  }
  return loraSettings(run, LORA, [key]);
}

export function attentionBySwitch(run: RunReader): Quantity<string> {
  const flash = ['use_flash_attention_2', 'use_flash_attn', 'use_flash_attention'].find(key => run.flag(key));
  if (flash !== undefined) return run.at(flash, 'flash_attention_2');
  return run.byDefault('sdpa', 'attn_implementation is None: transformers takes sdpa');
}

export function loss(run: RunReader): Quantity<string> {
  const plugged = run.part(PLUGINS)?.get('loss');
  if (plugged && plugged.value !== null) return plugged;
  const liger = ['use_liger_kernel', 'use_liger'].find(key => run.flag(key));
  if (liger !== undefined) return run.at(liger, 'liger');
  const trainer = run.get('task').value;
  if (trainer === null) return run.unknown('The loss depends on the task.');
  const named = trainer === 'sft' ? run.word('loss_type') : null;
  if (named !== null) return run.at('loss_type', named === 'chunked_nll' ? 'chunked' : 'standard');
  const chunked = trainer === 'sft' && run.atLeast('1.7.0');
  return run.byDefault(
    chunked ? 'chunked' : 'standard',
    chunked ? 'trl sft_config.py L341-344' : 'no loss kernel is on',
  );
}

/** Only the SFT trainer packs. */
export function packingByTask(run: RunReader): Quantity<boolean> {
  const trainer = run.get('task').value;
  if (trainer === null || trainer === 'sft') return run.byDefault(false, 'trl sft_config.py');
  return run.none(`trl: the ${trainer.toUpperCase()} trainer does not pack`);
}
