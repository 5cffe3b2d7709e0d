import type { ModelFacts } from '../../models/model';
import { typeIn } from '../../models/ggmlMixtures';
import type { Place, Role } from '../../models/ggmlMixtures';
import { bytesOf } from '../../models/ggmlTypes';

/** Weights of a GGUF file, by llama.cpp's placement. */
export interface GgufWeights {
  /** The word table, which stays on the host. */
  readonly words: number;
  /** Bytes of each layer. */
  readonly layers: readonly number[];
  /** The last norm and the head; a tied head is a copy of the table. */
  readonly output: number;
}

/** Families whose file has one matrix for queries, keys and values (conversion/*.py, attn_qkv). */
const FUSED = new Set([
  'gpt2',
  'gpt_neox',
  'gpt_bigcode',
  'falcon',
  'bloom',
  'mpt',
  'phi',
  'phi3',
  'chatglm',
  'qwen',
]);

const FP32 = 4;

/** The weights of a model in a file of this mixture; null if the mixture or the family is unknown. */
export function weightsIn(mixture: string, model: ModelFacts): GgufWeights | null {
  const { layers, heads, kvHeads, experts, vocabSize, hiddenSize, tiedEmbeddings, mla } = model;
  if (mla !== null || model.kind !== 'decoder') return null;
  const place = (layer: number): Place => ({
    layer,
    layers,
    experts,
    group: heads / Math.max(1, kvHeads),
    is70B: layers === 80 && heads / Math.max(1, kvHeads) === 8,
  });
  const matrix = (role: Role, columns: number, rows: number, layer = 0): number => {
    const type = typeIn(mixture, role, place(layer));
    return type === null ? NaN : bytesOf(type, columns, rows);
  };
  const words = matrix(tiedEmbeddings ? 'output' : 'words', hiddenSize, vocabSize);
  if (Number.isNaN(words)) return null;
  return {
    words,
    layers: Array.from({ length: layers }, (_, layer) =>
      layerOf(model, (role, c, r) => matrix(role, c, r, layer)),
    ),
    output: matrix('output', hiddenSize, vocabSize) + hiddenSize * FP32,
  };
}

type Matrix = (role: Role, columns: number, rows: number) => number;

function layerOf(model: ModelFacts, matrix: Matrix): number {
  const { hiddenSize, heads, kvHeads, headDim, normsPerLayer, norm, qkvBias, attentionOutBias } = model;
  const queries = heads * headDim;
  const keys = kvHeads * headDim;
  const attention = FUSED.has(model.modelType)
    ? matrix('qkv', hiddenSize, queries + 2 * keys)
    : matrix('q', hiddenSize, queries) + matrix('k', hiddenSize, keys) + matrix('v', hiddenSize, keys);
  const vectors = [
    normsPerLayer * hiddenSize * (norm === 'layernorm' ? 2 : 1),
    qkvBias ? queries + 2 * keys : 0,
    attentionOutBias ? hiddenSize : 0,
    model.qkNorm === null ? 0 : 2 * headDim,
  ];
  const fp32 = vectors.reduce((sum, size) => sum + size, 0) * FP32;
  return attention + matrix('attention out', queries, hiddenSize) + mlpOf(model, matrix) + fp32;
}

function mlpOf(model: ModelFacts, matrix: Matrix): number {
  const { hiddenSize, intermediateSize, experts, moe, gatedMlp, mlpBias } = model;
  const one = (width: number): number =>
    (gatedMlp ? matrix('gate', hiddenSize, width) : 0) +
    matrix('up', hiddenSize, width) +
    matrix('down', width, hiddenSize);
  const biases = mlpBias ? (intermediateSize + hiddenSize) * FP32 : 0;
  if (experts === 0) return one(intermediateSize) + biases;
  const shared = moe?.sharedIntermediateSize ?? 0;
  const router = experts * hiddenSize * FP32;
  return experts * one(moe?.intermediateSize ?? intermediateSize) + (shared > 0 ? one(shared) : 0) + router;
}
