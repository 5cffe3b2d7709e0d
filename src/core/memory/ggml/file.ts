import type { GgufWeights, ModelFacts } from '../../models/model';
import { typeIn } from '../../models/ggmlMixtures';
import type { Place, Role } from '../../models/ggmlMixtures';
import { bytesOf } from '../../models/ggmlTypes';

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
  if (mla !== null || (model.kind !== 'decoder' && model.kind !== 'vision-language')) return null;
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
  const inLayers = (of: (model: ModelFacts, matrix: Matrix) => number): readonly number[] =>
    Array.from({ length: layers }, (_, layer) => of(model, (role, c, r) => matrix(role, c, r, layer)));
  return {
    words,
    layers: inLayers(layerOf),
    experts: inLayers(expertsOf),
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

const widthOf = ({ gatedMlp, hiddenSize }: ModelFacts, matrix: Matrix, width: number): number =>
  (gatedMlp ? matrix('gate', hiddenSize, width) : 0) +
  matrix('up', hiddenSize, width) +
  matrix('down', width, hiddenSize);

/** The stacked experts of a layer, without router and shared experts. */
function expertsOf(model: ModelFacts, matrix: Matrix): number {
  const { experts, moe, intermediateSize } = model;
  return experts === 0 ? 0 : experts * widthOf(model, matrix, moe?.intermediateSize ?? intermediateSize);
}

function mlpOf(model: ModelFacts, matrix: Matrix): number {
  const { hiddenSize, intermediateSize, experts, moe, mlpBias } = model;
  const biases = mlpBias ? (intermediateSize + hiddenSize) * FP32 : 0;
  if (experts === 0) return widthOf(model, matrix, intermediateSize) + biases;
  const shared = moe?.sharedIntermediateSize ?? 0;
  const inner = moe?.expertBias ? 2 * moe.intermediateSize + hiddenSize + (moe.routerBias ? 1 : 0) : 0;
  const router = experts * (hiddenSize + inner) * FP32;
  return expertsOf(model, matrix) + (shared > 0 ? widthOf(model, matrix, shared) : 0) + router;
}
