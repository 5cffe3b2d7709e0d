import { isRecord } from '../text/json';
import type { JsonRecord } from '../text/json';

/** Keys of transformers' model configs that TrainingArguments do not have; they say nothing that a run's config does. */
const MODEL_TYPE = 'model_type';

/** Fields of peft's LoraConfig, by the name that TRL's ModelConfig gives them. */
const LORA: readonly (readonly [string, string])[] = [
  ['r', 'lora_r'],
  ['lora_alpha', 'lora_alpha'],
  ['lora_dropout', 'lora_dropout'],
  ['target_modules', 'lora_target_modules'],
  ['modules_to_save', 'lora_modules_to_save'],
  ['use_dora', 'use_dora'],
  ['use_rslora', 'use_rslora'],
];

const QUANTIZED = [
  'load_in_4bit',
  'load_in_8bit',
  'bnb_4bit_quant_type',
  'bnb_4bit_use_double_quant',
  'bnb_4bit_compute_dtype',
] as const;

/**
 * What transformers' loggers (integrations/integration_utils.py) write down, as the keys of a config: they put TrainingArguments
 * over the model's config, and peft's config beside them. The model's config names the model and its quantization.
 */
export function asConfig(logged: JsonRecord): JsonRecord {
  const kept = Object.entries(logged).filter(
    ([key]) => !key.startsWith('_') && key !== 'model/num_parameters',
  );
  const own = Object.fromEntries(kept);
  const name = logged['_name_or_path'] ?? logged['model_name_or_path'];
  const isModel = MODEL_TYPE in logged && typeof name === 'string' && name !== '';
  return {
    ...own,
    ...(isModel && !('model_name_or_path' in own) && { model_name_or_path: name }),
    ...quantized(logged['quantization_config']),
    ...adapter(logged['peft_config']),
  };
}

function quantized(config: unknown): JsonRecord {
  if (!isRecord(config)) return {};
  return Object.fromEntries(
    QUANTIZED.filter(key => config[key] !== undefined && config[key] !== null).map(key => [key, config[key]]),
  );
}

/** peft logs its configs by the adapter's name. */
function adapter(config: unknown): JsonRecord {
  const [first] = isRecord(config) ? Object.values(config) : [];
  if (!isRecord(first) || first['peft_type'] !== 'LORA') return {};
  const known = LORA.filter(([key]) => first[key] !== undefined && first[key] !== null);
  return { use_peft: true, ...Object.fromEntries(known.map(([key, name]) => [name, first[key]])) };
}

/** A config as the text of a file. */
export const configText = (config: JsonRecord): string => `${JSON.stringify(config, null, 2)}\n`;
