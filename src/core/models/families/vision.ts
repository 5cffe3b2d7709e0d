import { counts, linear, mlp } from '../shapes';
import type { ModelFacts, ParameterCounts } from '../model';
import type { ConfigValues } from './config';
import type { Families, Family } from './family';

/** Vision transformers: LayerNorm before attention and MLP, biases everywhere, a learned position per patch. */
const vit: Family = {
  kind: 'vision',
  norm: 'layernorm',
  normsPerLayer: 2,
  positions: 'learned',
  qkvBias: 'qkv_bias',
  attentionOutBias: true,
  mlpBias: true,
  gatedMlp: false,
  adjust: (values, model) => patches(values, model, 1),
  count: countVit,
};

/** Positions are biases on the attention scores, from a table per layer; keys have no bias. */
const beit: Family = {
  ...vit,
  positions: 'relative',
  qkvBias: true,
  adjust: (values, model) => {
    const { extra } = patches(values, model, 1);
    const keys = ['use_relative_position_bias', 'use_shared_relative_position_bias'];
    const flags = keys.map(key => [key, values.flag(key)] as const);
    return { extra: { ...extra, ...Object.fromEntries(flags) } };
  },
  count: countBeit,
};

/** Image models. Modeling code as of transformers 5.23. */
export const vision: Families = {
  vit,
  // One additional token for distillation.
  deit: { ...vit, adjust: (values, model) => patches(values, model, 2) },
  beit,
  'data2vec-vision': beit,
};

function patches(values: ConfigValues, model: ModelFacts, tokens: number): Partial<ModelFacts> {
  const image = values.size('image_size');
  const patch = values.size('patch_size');
  const side = Math.floor(image / Math.max(patch, 1));
  const extra = {
    ...model.extra,
    image_size: image,
    patch_size: patch,
    num_channels: values.size('num_channels'),
  };
  return { positionRows: side * side + tokens, maxPositions: side * side + tokens, extra };
}

/** The backbone with its pooler, without a head. */
function countBeit(model: ModelFacts): ParameterCounts | null {
  const { hiddenSize: hidden, layers, heads, extra } = model;
  const { image_size: image, patch_size: patch, num_channels: channels } = extra;
  if (typeof image !== 'number' || typeof patch !== 'number' || typeof channels !== 'number') return null;
  const side = Math.floor(image / patch);
  const biased = extra['use_relative_position_bias'] === true;
  const distances = biased ? (2 * side - 1) ** 2 + 3 : 0;
  const positions = extra['use_absolute_position_embeddings'] === true ? side * side + 1 : 0;
  const scales = extra['layer_scale_init_value'] === 0 ? 0 : 2 * hidden;
  const token = extra['use_mask_token'] === true ? 2 : 1;
  return counts({
    embedding: (positions + token) * hidden,
    attention: layers * (3 * linear(hidden, hidden, true) + linear(hidden, hidden, false)),
    mlp: layers * mlp(hidden, model.intermediateSize, false, true),
    norm: (2 * layers + 1) * 2 * hidden,
    other: linear(channels * patch * patch, hidden, true) + layers * (distances * heads + scales),
  });
}

/** The backbone, without a head. */
function countVit(model: ModelFacts): ParameterCounts | null {
  const { hiddenSize: hidden, positionRows, extra } = model;
  const { patch_size: patch, num_channels: channels } = extra;
  if (typeof patch !== 'number' || typeof channels !== 'number') return null;
  const tokens = model.modelType === 'deit' ? 2 : 1;
  const projections = 3 * linear(hidden, hidden, model.qkvBias) + linear(hidden, hidden, true);
  return counts({
    embedding: (positionRows + tokens) * hidden,
    attention: model.layers * projections,
    mlp: model.layers * mlp(hidden, model.intermediateSize, false, true),
    norm: (2 * model.layers + 1) * 2 * hidden,
    other: linear(channels * patch * patch, hidden, true),
  });
}
