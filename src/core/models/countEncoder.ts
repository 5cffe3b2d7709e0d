import type { ModelFacts, ParameterCounts } from './model';
import { counts, extraFlag, extraNumber, linear, mlp } from './shapes';

/**
 * Parameters of an encoder of the BERT line (BERT, RoBERTa, XLM-R, DistilBERT, ELECTRA, ALBERT, MPNet): biases
 * everywhere, two LayerNorms a layer and one after the embeddings.
 */
export function countBert(model: ModelFacts): ParameterCounts {
  const hidden = model.hiddenSize;
  const width = extraNumber(model, 'embedding_size') || hidden;
  const rows = model.vocabSize + model.positionRows + extraNumber(model, 'type_vocab_size');
  // ALBERT shares the weights of all layers of a group.
  const layers = extraNumber(model, 'num_hidden_groups') || model.layers;
  return counts({
    embedding: rows * width + (width === hidden ? 0 : linear(width, hidden, true)),
    attention: layers * 4 * linear(hidden, hidden, true),
    mlp: layers * mlp(hidden, model.intermediateSize, false, true),
    norm: layers * 4 * hidden + 2 * width,
    head: extraNumber(model, 'classifier_params'),
    other:
      (extraFlag(model, 'has_pooler') ? linear(hidden, hidden, true) : 0) +
      linear(hidden, extraNumber(model, 'embedding_head_dim'), true) +
      extraNumber(model, 'relative_attention_buckets') * model.heads,
  });
}
