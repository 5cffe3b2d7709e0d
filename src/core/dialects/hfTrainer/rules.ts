import type { Quantity } from '../../spec/quantity';
import type { LoraSettings, Method, Quantization, QuantityValues } from '../../spec/values';
import type { Row } from '../dialect';
import { word } from '../engine/readers';
import type { RunReader } from '../engine/runReader';
import { fourBit, int8, loraSettings } from '../shared/peft';
import type { LoraKeys } from '../shared/peft';
import { dtypeWord } from '../shared/words';

/** Names of the sections in which scripts keep arguments other than TrainingArguments. */
const SECTIONS = ['', 'model.', 'quantization.', 'data.', 'lora.', 'peft.'];

const named = (...names: readonly string[]): string[] =>
  names.flatMap(name => SECTIONS.map(section => `${section}${name}`));

const RANKS = ['lora_r', 'lora_rank', 'lora.r', 'lora.rank', 'lora.lora_r', 'peft.r', 'peft.lora_r'];

const LORA: LoraKeys = {
  r: [...RANKS, 'r'],
  alpha: ['lora_alpha', 'lora.alpha', 'lora.lora_alpha', 'peft.lora_alpha', 'peft.alpha'],
  dropout: ['lora_dropout', 'lora.dropout', 'lora.lora_dropout', 'peft.lora_dropout'],
  targets: [
    'lora_target_modules',
    'lora.target_modules',
    'lora.lora_target_modules',
    'peft.target_modules',
    'target_modules',
  ],
  modulesToSave: ['lora_modules_to_save', 'lora.modules_to_save', 'peft.modules_to_save'],
  rslora: ['use_rslora', 'lora.use_rslora'],
  dora: ['use_dora', 'lora.use_dora'],
  defaults: { r: null, alpha: null, dropout: null },
};

const SWITCHES = ['use_peft', 'use_lora', 'lora.enabled', 'lora.use_lora', 'model.use_lora', 'use_qlora'];

/** peft's LoraConfig among a script's own arguments: `r` alone is any word, beside `lora_alpha` it is the rank. */
const configRank = (run: RunReader): string | null => (run.has('r') && run.has('lora_alpha') ? 'r' : null);

/** The key that enables LoRA: a switch, else a rank; null if a switch disables it or nothing states it. */
function loraKey(run: RunReader): string | null {
  const off = SWITCHES.find(key => run.flag(key) === false);
  const on = SWITCHES.find(key => run.flag(key) === true);
  if (on !== undefined || off !== undefined) return on ?? null;
  return RANKS.find(key => run.has(key)) ?? configRank(run);
}

export function lora(run: RunReader): Quantity<LoraSettings> {
  const key = loraKey(run);
  return key === null ? run.none('no LoRA settings') : loraSettings(run, LORA, [key]);
}

export function method(run: RunReader): Quantity<Method> {
  const key = loraKey(run);
  if (key === null) return run.byDefault('full', 'no LoRA settings');
  return run.at(key, run.get('quantization').value?.bits === 4 ? 'qlora' : 'lora');
}

export function quantization(run: RunReader): Quantity<Quantization> {
  const four = named('load_in_4bit').find(key => run.flag(key));
  const eight = named('load_in_8bit').find(key => run.flag(key));
  if (four !== undefined) {
    const type = first(run, named('bnb_4bit_quant_type'), word) ?? 'fp4';
    const nested = named('bnb_4bit_use_double_quant', 'use_bnb_nested_quant').some(key => run.flag(key));
    const compute = first(run, named('bnb_4bit_compute_dtype'), dtypeWord) ?? 'fp32';
    return run.at(four, fourBit(type, nested, compute, null));
  }
  return eight === undefined ? run.none('nothing asks for quantised weights') : run.at(eight, int8);
}

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

export function imageSize(run: RunReader): Quantity<QuantityValues['imageSize']> {
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
