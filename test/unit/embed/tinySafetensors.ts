import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Weights } from '../../../src/embed/graph/weights';
import { tinyConfig, tinyWeights, writeTinyModel } from './tinyModel';

const PAIR = ['weight', 'bias'];
const LAYERS = 2;
const DENSE = [
  ...['query', 'key', 'value'].map(name => `attention.self.${name}`),
  ...['attention.output.dense', 'attention.output.LayerNorm', 'intermediate.dense'],
  ...['output.dense', 'output.LayerNorm'],
];

const namesOf = (layers: number): readonly string[] => [
  ...['word', 'position', 'token_type'].map(name => `embeddings.${name}_embeddings.weight`),
  ...PAIR.map(part => `embeddings.LayerNorm.${part}`),
  ...Array.from({ length: layers }, (_, layer) =>
    DENSE.flatMap(name => PAIR.map(part => `encoder.layer.${layer}.${name}.${part}`)),
  ).flat(),
];

/** A BERT's weights as transformers writes them. */
export function bertSafetensors(weights: (name: string) => Weights, layers: number): Buffer {
  const header: Record<string, unknown> = {};
  const pieces: Buffer[] = [];
  let at = 0;
  for (const name of namesOf(layers)) {
    const { shape, data } = weights(name);
    const bytes = Buffer.from(Float32Array.from(data).buffer);
    header[name] = { dtype: 'F32', shape, data_offsets: [at, at + bytes.length] };
    pieces.push(bytes);
    at += bytes.length;
  }
  const text = Buffer.from(JSON.stringify({ __metadata__: { format: 'pt' }, ...header }));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(text.length));
  return Buffer.concat([length, text, ...pieces]);
}

/**
 * The same model as `writeTinyModel`, without ONNX: weights as safetensors, and the files that transformers needs.
 */
export function writeTinySafetensors(
  folder: string,
  seed = 1,
  extra: Readonly<Record<string, unknown>> = {},
): string {
  const special = { unk_token: '[UNK]', cls_token: '[CLS]', sep_token: '[SEP]', pad_token: '[PAD]' };
  writeTinyModel(folder, seed, {
    'config.json': tinyConfig,
    'tokenizer_config.json': {
      tokenizer_class: 'PreTrainedTokenizerFast',
      model_max_length: 16,
      model_input_names: ['input_ids', 'token_type_ids', 'attention_mask'],
      ...special,
    },
    ...extra,
  });
  rmSync(join(folder, 'onnx'), { recursive: true });
  writeFileSync(join(folder, 'model.safetensors'), bertSafetensors(tinyWeights(seed), LAYERS));
  return folder;
}
