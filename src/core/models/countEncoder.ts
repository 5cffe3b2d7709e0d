import type { ModelFacts, ParameterCounts } from './model';
import { counts, extraFlag, extraNumber, linear, mlp, norm } from './shapes';

/**
 * Parameters of a BERT-like encoder (BERT, RoBERTa, XLM-R, DistilBERT, ELECTRA, ALBERT, MPNet): biases everywhere,
 * two LayerNorms per layer and one after the embeddings.
 */
export function countBert(model: ModelFacts): ParameterCounts {
  const hidden = model.hiddenSize;
  const width = extraNumber(model, 'embedding_size') || hidden;
  const rows = model.vocabSize + model.positionRows + extraNumber(model, 'type_vocab_size');
  // ALBERT shares weights among the layers of a group.
  const shared = extraNumber(model, 'num_hidden_groups') * (extraNumber(model, 'inner_group_num') || 1);
  const layers = shared || model.layers;
  return counts({
    embedding: rows * width + (width === hidden ? 0 : linear(width, hidden, true)),
    attention: layers * 4 * linear(hidden, hidden, true),
    mlp: layers * mlp(hidden, model.intermediateSize, false, true),
    norm: layers * 4 * hidden + 2 * width,
    head: extraNumber(model, 'classifier_params'),
    other: outsideLayers(model) + extraNumber(model, 'relative_attention_buckets') * model.heads,
  });
}

/** DeBERTa v2 and v3: one table of relative positions for all layers, with a LayerNorm; v2-xlarge has a convolution. */
export function countDeberta(model: ModelFacts): ParameterCounts {
  const hidden = model.hiddenSize;
  const kernel = extraNumber(model, 'conv_kernel_size');
  const rows = model.vocabSize + model.positionRows + extraNumber(model, 'type_vocab_size');
  return counts({
    embedding: rows * hidden,
    attention: model.layers * 4 * linear(hidden, hidden, true),
    mlp: model.layers * mlp(hidden, model.intermediateSize, false, true),
    norm: (model.layers * 4 + 2 + 2 + (kernel > 0 ? 2 : 0)) * hidden,
    head: extraNumber(model, 'classifier_params'),
    other:
      2 * extraNumber(model, 'position_buckets') * hidden +
      (kernel > 0 ? linear(hidden * kernel, hidden, true) : 0),
  });
}

/** ModernBERT: the first layer has no attention norm, since the embeddings are normed just before it. */
export function countModernBert(model: ModelFacts): ParameterCounts {
  const hidden = model.hiddenSize;
  const projections =
    linear(hidden, 3 * hidden, model.qkvBias) + linear(hidden, hidden, model.attentionOutBias);
  return counts({
    embedding: model.vocabSize * hidden,
    attention: model.layers * projections,
    mlp: model.layers * mlp(hidden, model.intermediateSize, true, model.mlpBias),
    norm: (2 * model.layers + 1) * norm(hidden, model.norm),
    other: outsideLayers(model),
  });
}

/** nomic-bert: words and types, no biases except in norms, a gated MLP. */
export function countNomicBert(model: ModelFacts): ParameterCounts | null {
  if (model.moe !== null) return null;
  const hidden = model.hiddenSize;
  return counts({
    embedding: (model.vocabSize + extraNumber(model, 'type_vocab_size')) * hidden,
    attention: model.layers * 4 * linear(hidden, hidden, false),
    mlp: model.layers * mlp(hidden, model.intermediateSize, true, false),
    norm: (model.layers * 4 + 2) * hidden,
    other: outsideLayers(model),
  });
}

/** BERT's pooler and the projection that sentence-transformers adds after it. */
function outsideLayers(model: ModelFacts): number {
  const hidden = model.hiddenSize;
  const pooler = extraFlag(model, 'has_pooler') ? linear(hidden, hidden, true) : 0;
  return pooler + linear(hidden, extraNumber(model, 'embedding_head_dim'), true);
}
