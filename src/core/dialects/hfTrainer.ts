import { builtIn } from './defined/compile';
import type { Dialect, Row } from './dialect';
import type { Hit } from './engine/layers';
import { count, word } from './engine/readers';
import type { RunReader } from './engine/runReader';
import { words } from './generic/vocabulary';
import file from './hfTrainer.yaml';
import { contrastive, contrastiveKey } from './generic/contrastive';
import { fourBit, int8, loraSettings, methodBy, methodKey } from './shared/peft';
import type { LoraKeys } from './shared/peft';
import { dtypeWord } from './shared/words';
import type { Quantity } from '../spec/quantity';
import type { LoraSettings, Method, Quantization, QuantityValues, FrozenPart } from '../spec/values';

/** Names of the sections in which scripts keep arguments other than TrainingArguments. */
const SECTIONS = ['', 'model.', 'model_args.', 'quantization.', 'data.', 'lora.', 'peft.'];

const named = (...names: readonly string[]): string[] =>
  names.flatMap(name => SECTIONS.map(section => `${section}${name}`));

/** Sections of adapters, and the keys of their settings in each. */
const ADAPTERS = ['lora', 'peft', 'lora_config', 'peft_config'];
const ofAdapters = (...names: readonly string[]): string[] =>
  ADAPTERS.flatMap(section => names.map(name => `${section}.${name}`));

const RANKS = [...named('lora_r', 'lora_rank'), ...ofAdapters('r', 'rank', 'lora_r')];

const LORA: LoraKeys = {
  r: [...RANKS, 'r'],
  alpha: [...named('lora_alpha'), ...ofAdapters('alpha', 'lora_alpha')],
  dropout: [...named('lora_dropout'), ...ofAdapters('dropout', 'lora_dropout')],
  targets: [
    ...named('lora_target_modules'),
    ...ofAdapters('target_modules', 'lora_target_modules'),
    'target_modules',
  ],
  modulesToSave: ['lora_modules_to_save', ...ofAdapters('modules_to_save')],
  rslora: ['use_rslora', ...ofAdapters('use_rslora')],
  dora: ['use_dora', ...ofAdapters('use_dora')],
  defaults: { r: null, alpha: null, dropout: null },
};

/** True for a key of a section that is switched off: `quantization: {enable: false, bits: 4}`. */
function isSwitchedOff(run: RunReader, key: string): boolean {
  const section = key.slice(0, key.lastIndexOf('.') + 1);
  return section !== '' && ['enabled', 'enable'].some(name => run.flag(section + name) === false);
}

const SWITCHES = ['use_peft', 'use_lora', 'lora.enabled', 'lora.use_lora', 'model.use_lora', 'use_qlora'];

/** peft's LoraConfig among a script's own arguments: `r` is the rank only together with `lora_alpha`. */
const configRank = (run: RunReader): string | null => (run.has('r') && run.has('lora_alpha') ? 'r' : null);

/** The key that enables LoRA: a switch, else a rank; null if a switch disables it or nothing states it. */
function loraKey(run: RunReader): string | null {
  const off = SWITCHES.find(key => run.flag(key) === false);
  const on = SWITCHES.find(key => run.flag(key) === true);
  if (on !== undefined || off !== undefined) return on ?? null;
  return RANKS.find(key => run.has(key) && !isSwitchedOff(run, key)) ?? configRank(run);
}

function lora(run: RunReader): Quantity<LoraSettings> {
  const own = methodKey(run);
  if (own !== null && run.get('method').value === null) return run.unknown('What is trained is not known.');
  const key = own !== null && run.get('method').value !== 'full' ? own : loraKey(run);
  if (key !== null) return loraSettings(run, LORA, [key]);
  const isOpen = run.get('method').value === null;
  return isOpen ? run.unknown('What is trained is not known.') : run.none('no LoRA settings');
}

function method(run: RunReader): Quantity<Method> {
  const own = methodKey(run);
  if (own !== null) return methodBy(run, own);
  const key = loraKey(run);
  const quantized = run.get('quantization').value;
  if (key === null && quantized?.method === 'bnb') {
    // transformers trainer.py: purely quantized models are refused.
    return run.unknown('Quantized weights are not trained, but no key switches adapters on.');
  }
  if (key === null) return run.byDefault('full', 'no LoRA settings');
  return run.at(key, quantized?.bits === 4 ? 'qlora' : 'lora');
}

export function quantization(run: RunReader): Quantity<Quantization> {
  const eight =
    named('load_in_8bit').find(key => run.flag(key) && !isSwitchedOff(run, key)) ?? bitsKey(run, 8);
  const four =
    named('load_in_4bit').find(key => run.flag(key) && !isSwitchedOff(run, key)) ?? bitsKey(run, 4);
  if (four !== undefined) {
    const type = first(run, named('bnb_4bit_quant_type'), word) ?? 'fp4';
    const nested = named('bnb_4bit_use_double_quant', 'use_bnb_nested_quant').some(key => run.flag(key));
    const compute = first(run, named('bnb_4bit_compute_dtype'), dtypeWord) ?? 'fp32';
    return run.at(four, fourBit(type, nested, compute, null));
  }
  return eight === undefined ? run.none('nothing asks for quantized weights') : run.at(eight, int8);
}

/** `bits: 4`, as the scripts of QLoRA say it. */
const bitsKey = (run: RunReader, bits: number): string | undefined =>
  named('bits').find(key => run.has(key) && run.read(key, count) === bits && !isSwitchedOff(run, key)) ??
  named('quant', 'quantize', 'quantization').find(key => bitsIn(run.read(key, word)) === bits);

/** `quant: 4bit`, as scripts of one's own say it. */
const bitsIn = (value: string | null): number | null => {
  const [, bits] = /^(?:int|nf|fp)?([48])(?:[-_ ]?bits?)?$/i.exec(value ?? '') ?? [];
  return bits === undefined ? null : Number(bits);
};

function first<T>(run: RunReader, keys: readonly string[], read: Row<T>['read']): T | null {
  for (const key of keys) {
    const value = run.has(key) ? run.read(key, read) : null;
    if (value !== null) return value;
  }
  return null;
}

const IMAGE_SIZES = named('image_size', 'img_size');
/** `vit-base-patch16-224`: vision-transformer checkpoints are named after patch and image size. */
const NAMED_SIZE = /patch\d+-(\d{3,4})(?:-|$)/;

function imageSize(run: RunReader): Quantity<QuantityValues['imageSize']> {
  for (const key of IMAGE_SIZES) {
    const sides = run.words(key)?.map(Number);
    const [height, width = height] = sides ?? [];
    if (height !== undefined && width !== undefined && height > 0 && width > 0) {
      return run.at(key, [width, height]);
    }
  }
  const side = Number(NAMED_SIZE.exec(run.get('model').value ?? '')?.[1]);
  if (!side) return run.unknown('No image size is set.');
  return run.derived([side, side], ['model'], `the checkpoint's name ends with ${side}`);
}

/** PEFT's task types as Headroom's tasks. */
const TASK_TYPES: Readonly<Record<string, string>> = {
  CAUSAL_LM: 'sft',
  SEQ_CLS: 'sequence_classification',
  TOKEN_CLS: 'token_classification',
  SEQ_2_SEQ_LM: 'seq2seq',
  QUESTION_ANS: 'question_answering',
};
const TYPE_KEYS = ['task_type', 'lora.task_type', 'peft.task_type', 'lora_task_type'];

/** Keys of scripts for instruction tuning. */
const SFT_KEYS = [
  'dataset_text_field',
  'response_template',
  'instruction_template',
  'prompt_template',
  'chat_template',
];

/** Families whose checkpoints are image backbones. */
const IMAGE_MODEL = /(?:^|[/-])(?:vit|deit|beit|swinv?2?|convnext(?:v2)?|resnet|efficientnet|dinov[23])-/i;

const wordOf = ({ node }: Hit): string => (node.kind === 'scalar' ? String(node.value) : '');
const isNamed = (pattern: RegExp, { path }: Hit): boolean => pattern.test(String(path.at(-1)).toLowerCase());

const isTrainer = (section: string): boolean => words.trainers.test(section);

/** `training_method: DPO`, `dpo: {beta: 0.1}`; or what only one method has. */
function ofMethod(run: RunReader): Quantity<string> | null {
  const method = run.leaves().find(leaf => isNamed(words.method, leaf) && words.aMethod.test(wordOf(leaf)));
  if (method) return run.at(method.key, wordOf(method).toLowerCase());
  const trainers = run.leaves().map(({ path }) => path.slice(0, -1).map(String).find(isTrainer) ?? null);
  const [trainer = null, ...others] = new Set(trainers.filter(one => one !== null));
  if (trainer !== null && others.length === 0) {
    return run.derived(trainer, [trainer], `${trainer} has a section of its own`);
  }
  const groups = run.leaves().find(({ key }) => /(?:^|\.)num_generations$/.test(key));
  return groups ? run.derived('grpo', [groups.key], `${groups.key} counts the answers of a group`) : null;
}

/** Words for what is trained; a script's `task` may also be the name of its data. */
const A_TASK =
  /classif|regress|generat|translat|summar|answer|caption|detect|segment|recogni|embed|retriev|rerank|contrast|pre-?train|fine-?tun|^(?:[cm]lm|sft|dpo|orpo|kto|simpo|cpo|grpo|rloo|ppo|reward|rm|pt|ner|qa|asr|tts|seq2seq|infer)$/i;

/** What keys for the task say. */
function statedTask(run: RunReader): Quantity<string> | null {
  const stated = run.has('task') ? run.word('task') : null;
  if (stated !== null && A_TASK.test(stated)) return run.at('task', stated);
  for (const key of TYPE_KEYS) {
    const type = TASK_TYPES[run.word(key)?.toUpperCase() ?? ''];
    // A causal model is trained in several ways.
    if (type !== undefined) return (type === 'sft' ? ofMethod(run) : null) ?? run.at(key, type);
  }
  return null;
}

/** The script decides the task; some keys reveal it. */
function task(run: RunReader): Quantity<string> {
  const stated = statedTask(run);
  if (stated) return stated;
  if (run.has('mlm_probability') || run.flag('mlm')) return run.at(['mlm_probability', 'mlm'], 'mlm');
  const compared = contrastiveKey(run);
  if (compared !== null) {
    return run.derived('contrastive_embedding', [compared], `${compared} compares embeddings`);
  }
  const method = ofMethod(run);
  if (method) return method;
  if (run.has('beta') && run.has('max_prompt_length')) {
    return run.derived('dpo', ['beta', 'max_prompt_length'], 'these are keys of trainers on pairs');
  }
  const sft = SFT_KEYS.find(key => run.has(key));
  if (sft !== undefined) return run.derived('sft', [sft], `${sft} belongs to instruction data`);
  if (run.get('lora').value !== null && run.get('seqLen').value !== null) {
    return run.derived('sft', ['lora', 'seqLen'], 'LoRA on token sequences fine-tunes a language model');
  }
  if (IMAGE_MODEL.test(run.get('model').value ?? '')) {
    return run.derived('image_classification', ['model'], 'what backbones of images are fine-tuned for');
  }
  return run.unknown('The task is the script that is started; no key says it.');
}

/** Keys of transformers' speech example scripts, and of similar scripts. */
const SECONDS = [
  'max_duration_in_seconds',
  'max_length_seconds',
  'max_input_length_in_sec',
  'max_audio_length_in_seconds',
  'max_audio_duration',
  'max_duration',
];

const sections = ['', 'model.', 'data.', 'dataset.', 'training.'];
const places = (keys: readonly string[]): string[] =>
  sections.flatMap(section => keys.map(key => section + key));

/**
 * Switches that freeze part of a model (run_speech_recognition_ctc.py, run_speech_recognition_seq2seq.py,
 * run_clip.py).
 */
const FREEZES: Readonly<Record<string, FrozenPart>> = {
  freeze_feature_encoder: 'convolutions',
  freeze_feature_extractor: 'convolutions',
  freeze_encoder: 'encoder',
  freeze_vision_model: 'vision tower',
  freeze_vision_tower: 'vision tower',
  freeze_text_model: 'text tower',
};

/** The longest audio that a script accepts. */
function audioSeconds(run: RunReader): Quantity<number> {
  const key = places(SECONDS).find(one => run.has(one));
  const value = key === undefined ? null : run.value(key);
  if (key !== undefined && typeof value === 'number' && value > 0) return run.at(key, value);
  return run.unknown('No key says how long the audio is.');
}

function frozenParts(run: RunReader): Quantity<readonly FrozenPart[]> {
  const found = Object.entries(FREEZES).flatMap(([name, part]) => {
    const key = places([name]).find(one => run.flag(one) === true);
    return key === undefined ? [] : [{ key, part }];
  });
  if (found.length === 0) return run.unknown('No key freezes a part of the model.');
  return run.at(
    found.map(({ key }) => key),
    [...new Set(found.map(({ part }) => part))],
  );
}

/** Details of transformers' speech and image scripts, in addition to their training arguments. */
const mediaDetails = { audioSeconds, frozenParts };

/**
 * transformers' TrainingArguments in a script's own YAML: flat, or in a separate section next to those for the
 * model, LoRA and data. Based on wheels of transformers 4.45.2 to 5.18.0.
 */
export const hfTrainer: Dialect = builtIn(file, {
  quantities: { task, method, imageSize, quantization, lora },
  details: { ...mediaDetails, contrastive },
});
