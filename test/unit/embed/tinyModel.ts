import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bert, encodedBert } from '../../../src/embed/graph/bert';
import type { Bert } from '../../../src/embed/graph/bert';
import type { Weights } from '../../../src/embed/graph/weights';
import { plain } from '../../../src/embed/graph/weights';
import type { Storage } from '../../../src/embed/graph/weights';

const HIDDEN = 32;
const INNER = 64;
const POSITIONS = 16;
const SIZES = { hidden: HIDDEN, heads: 2, layers: 2, epsilon: 1e-12 };

/** Words that the tiny model knows; all others are `[UNK]`. */
export const WORDS =
  'a the of gpu memory batch model text long short one two three four five six seven'.split(' ');
const SPECIAL = ['[PAD]', '[UNK]', '[CLS]', '[SEP]'];
const vocabulary = Object.fromEntries([...SPECIAL, ...WORDS].map((word, id) => [word, id]));

/** The same numbers for the same seed, between −0.5 and 0.5. */
export function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32 - 0.5;
  };
}

function shapeOf(name: string): readonly number[] {
  if (name.endsWith('word_embeddings.weight')) return [Object.keys(vocabulary).length, HIDDEN];
  if (name.endsWith('position_embeddings.weight')) return [POSITIONS, HIDDEN];
  if (name.endsWith('token_type_embeddings.weight')) return [2, HIDDEN];
  const outputs = name.includes('intermediate') ? INNER : HIDDEN;
  if (name.endsWith('.bias') || name.includes('LayerNorm')) return [outputs];
  const isBack = /\d\.output\.dense/.test(name);
  return [outputs, isBack ? INNER : HIDDEN];
}

/** Weights by name, random but always the same. */
export function tinyWeights(seed: number): (name: string) => Weights {
  return name => {
    const shape = shapeOf(name);
    const next = numbers(
      name.split('').reduce((sum, letter) => Math.imul(sum, 31) + letter.charCodeAt(0), seed) >>> 0,
    );
    const length = shape.reduce((product, size) => product * size, 1);
    const isScale = name.endsWith('LayerNorm.weight');
    return { shape, data: Float32Array.from({ length }, () => (isScale ? 1 : next())) };
  };
}

export const tinyBert = (seed = 1, storage: Storage = plain): Bert => ({
  sizes: SIZES,
  weights: tinyWeights(seed),
  storage,
});

export const tinyOnnx = (seed = 1, storage: Storage = plain): Uint8Array =>
  encodedBert(bert(tinyBert(seed, storage)));

const tokenizer = {
  version: '1.0',
  // As in published files: both have to be overridden.
  truncation: { direction: 'Right', max_length: 5, strategy: 'LongestFirst', stride: 0 },
  padding: {
    strategy: { Fixed: 5 },
    direction: 'Right',
    pad_to_multiple_of: null,
    pad_id: 0,
    pad_type_id: 0,
    pad_token: '[PAD]',
  },
  added_tokens: [],
  normalizer: { type: 'Lowercase' },
  pre_tokenizer: { type: 'Whitespace' },
  post_processor: { type: 'BertProcessing', sep: ['[SEP]', 3], cls: ['[CLS]', 2] },
  decoder: null,
  model: { type: 'WordLevel', vocab: vocabulary, unk_token: '[UNK]' },
};

/** The config as transformers reads it. */
export const tinyConfig = {
  model_type: 'bert',
  architectures: ['BertModel'],
  vocab_size: Object.keys(vocabulary).length,
  hidden_size: HIDDEN,
  intermediate_size: INNER,
  num_hidden_layers: SIZES.layers,
  num_attention_heads: SIZES.heads,
  max_position_embeddings: POSITIONS,
  layer_norm_eps: SIZES.epsilon,
  hidden_act: 'gelu',
  pad_token_id: 0,
  dtype: 'float32',
};

const PLAIN_MODULES = ['Transformer', 'Pooling', 'Normalize'].map((kind, idx) => ({
  idx,
  name: String(idx),
  path: idx === 0 ? '' : `${idx}_${kind}`,
  type: `sentence_transformers.models.${kind}`,
}));

/** A model's folder in the layout of sentence-transformers: real ONNX with two layers, created in milliseconds. */
export function writeTinyModel(
  folder: string,
  seed = 1,
  extra: Readonly<Record<string, unknown>> = {},
): string {
  mkdirSync(join(folder, '1_Pooling'), { recursive: true });
  mkdirSync(join(folder, 'onnx'), { recursive: true });
  const files: Readonly<Record<string, unknown>> = {
    'config.json': { model_type: 'bert', max_position_embeddings: POSITIONS, hidden_size: HIDDEN },
    'modules.json': PLAIN_MODULES,
    '1_Pooling/config.json': { word_embedding_dimension: HIDDEN, pooling_mode_mean_tokens: true },
    'sentence_bert_config.json': { max_seq_length: 12 },
    'tokenizer.json': tokenizer,
    ...extra,
  };
  for (const [name, value] of Object.entries(files)) {
    if (value !== null) writeFileSync(join(folder, name), JSON.stringify(value));
  }
  writeFileSync(join(folder, 'onnx/model.onnx'), tinyOnnx(seed));
  return folder;
}

/** Texts of mixed length, always the same. */
export function tinyTexts(count: number): string[] {
  const next = numbers(7);
  return Array.from({ length: count }, (_, i) => {
    const words = 1 + Math.floor((next() + 0.5) * 14);
    return (
      Array.from({ length: words }, () => WORDS[Math.floor((next() + 0.5) * WORDS.length)]).join(' ') +
      ` ${i % 7}`
    );
  });
}
