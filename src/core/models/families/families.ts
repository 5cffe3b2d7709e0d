import type { ModelFacts, ParameterCounts } from '../model';
import { llamaLike } from './decoders';
import { encoders } from './encoders';
import type { Families, Family } from './family';
import { gemma4 } from './gemma4';
import { moeDecoders } from './moeDecoders';
import { oldDecoders } from './oldDecoders';
import { seq2seq } from './seq2seq';
import { speech } from './speech';
import { vision } from './vision';
import { visionText } from './visionText';

const ALL: Families = {
  ...llamaLike,
  ...oldDecoders,
  ...moeDecoders,
  ...encoders,
  ...seq2seq,
  ...speech,
  ...vision,
  ...gemma4,
  ...visionText,
};

/**
 * Vision-language types with the model type of their language model, which `text_config` usually names. Towers are
 * not counted.
 */
const LANGUAGE_MODEL: Readonly<Record<string, string>> = {
  llava: 'llama',
  llava_next: 'llama',
  llava_onevision: 'qwen2',
  qwen2_vl: 'qwen2',
  qwen2_5_vl: 'qwen2',
  qwen3_vl: 'qwen3',
  qwen3_vl_moe: 'qwen3_moe',
  gemma3: 'gemma3_text',
  gemma4: 'gemma4_text',
  mllama: 'mllama_text_model',
  qwen3_5: 'qwen3_5_text',
  kimi_k3: 'kimi_linear',
  paligemma: 'gemma',
  mistral3: 'mistral',
  llama4: 'llama4_text',
  idefics3: 'llama',
  smolvlm: 'llama',
  internvl: 'qwen2',
  internvl_chat: 'qwen2',
  minicpmv: 'llama',
};

/** Types in a text_config that differ from a known type in name only. */
const SAME_BLOCK: Readonly<Record<string, string>> = {
  qwen2_vl_text: 'qwen2',
  qwen2_5_vl_text: 'qwen2',
  qwen3_vl_text: 'qwen3',
  qwen3_vl_moe_text: 'qwen3_moe',
};

/** The type that this one is a copy of; itself if it is not a copy. */
export function sameBlock(modelType: string): string {
  return Object.hasOwn(SAME_BLOCK, modelType) ? (SAME_BLOCK[modelType] ?? modelType) : modelType;
}

export function familyOf(modelType: string): Family | null {
  const type = sameBlock(modelType);
  return Object.hasOwn(ALL, type) ? (ALL[type] ?? null) : null;
}

/** The default model type of the language model in a vision-language model; null for other types. */
export function languageModelOf(modelType: string): string | null {
  return Object.hasOwn(LANGUAGE_MODEL, modelType) ? (LANGUAGE_MODEL[modelType] ?? null) : null;
}

/** Every model type whose config.json can be read. */
export const modelTypes: readonly string[] = [...Object.keys(ALL), ...Object.keys(LANGUAGE_MODEL)];

/** Parameters by kind, from the shapes alone; null for families without a counting rule. */
export function countParameters(model: ModelFacts): ParameterCounts | null {
  return familyOf(model.modelType)?.count?.(model) ?? null;
}
