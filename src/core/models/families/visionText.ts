import { countDecoder } from '../countDecoder';
import type { ModelFacts, ParameterCounts } from '../model';
import type { Families } from './family';
import { llama } from './decoders';

/**
 * Number of cross-attention layers in Llama 3.2 Vision's language model, which attend to images (MllamaTextConfig).
 */
export function crossLayers({ layers, extra }: ModelFacts): number {
  const listed = extra['cross_attention_layers'];
  // Every fifth, from the fourth on.
  return Array.isArray(listed) ? listed.length : Math.floor(layers / 5);
}

/** In a cross-attention layer queries and keys have norms, and it has two scalar gates. */
function countMllama(model: ModelFacts): ParameterCounts {
  const plain = countDecoder(model);
  const more = crossLayers(model) * (2 * model.headDim + 2);
  return { ...plain, norm: plain.norm + more, total: plain.total + more };
}

/** Language models that only occur with a vision tower. Modeling code as of transformers 5.23. */
export const visionText: Families = {
  mllama_text_model: {
    ...llama,
    qkvBias: false,
    attentionOutBias: false,
    mlpBias: false,
    adjust: (values, { extra }) => {
      const listed = values.list('cross_attention_layers');
      return listed.length > 0
        ? { extra: { ...extra, cross_attention_layers: listed, extra_embeddings: 8 } }
        : {};
    },
    count: countMllama,
  },
  // Three of four layers mix tokens by a recurrence (gated delta nets), whose widths follow from the published
  // size.
  qwen3_5_text: {
    ...llama,
    qkvBias: false,
    attentionOutBias: false,
    mlpBias: false,
    qkNorm: 'head',
    adjust: (values, { extra }) => {
      const listed = values.list('layer_types');
      const kinds = listed.length > 0 ? { layer_types: listed } : { full_attention_interval: 4 };
      return { extra: { ...extra, ...kinds } };
    },
    count: null,
  },
};
