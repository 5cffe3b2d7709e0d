import type { ModelFacts, ParameterCounts } from './model';
import { counts, extraFlag, extraNumber, linear, mlp } from './shapes';

/** T5 family: RMSNorm, no biases, one table of relative positions in each stack. `layers` is the encoder's. */
export function countT5(model: ModelFacts): ParameterCounts {
  const hidden = model.hiddenSize;
  const decoder = extraNumber(model, 'num_decoder_layers');
  const attention = 4 * hidden * model.heads * model.headDim;
  const stacks = decoder > 0 ? 2 : 1;
  const table = extraNumber(model, 'relative_attention_buckets') * model.heads;
  return counts({
    embedding: model.vocabSize * hidden,
    attention: (model.layers + 2 * decoder) * attention,
    mlp: (model.layers + decoder) * mlp(hidden, model.intermediateSize, model.gatedMlp, false),
    norm: (2 * model.layers + 3 * decoder + stacks) * hidden,
    head: decoder > 0 && !model.tiedEmbeddings ? model.vocabSize * hidden : 0,
    other: stacks * table + hidden * extraNumber(model, 'embedding_head_dim'),
  });
}

/** BART, mBART, Pegasus: LayerNorm and biases, a position table in each stack. `layers` is the encoder's. */
export function countBart(model: ModelFacts): ParameterCounts {
  const hidden = model.hiddenSize;
  const decoder = extraNumber(model, 'num_decoder_layers');
  const attention = 4 * linear(hidden, hidden, true);
  const stackNorms = (extraFlag(model, 'embed_norm') ? 2 : 0) + (extraFlag(model, 'final_norm') ? 2 : 0);
  return counts({
    embedding: (model.vocabSize + 2 * model.positionRows) * hidden,
    attention: (model.layers + 2 * decoder) * attention,
    mlp: (model.layers + decoder) * mlp(hidden, model.intermediateSize, false, true),
    norm: (2 * model.layers + 3 * decoder + stackNorms) * 2 * hidden,
  });
}
