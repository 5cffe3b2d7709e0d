import type { ModelFacts } from '../../models/model';
import type { Architecture, Model } from '../architecture';
import { encoder } from '../blocks/encoder';
import type { DropoutRates, EncoderEmbeddings } from '../blocks/encoder';
import { encoderHead } from '../blocks/encoderHeads';
import { buildEncoderLayer } from '../blocks/encoderLayer';
import { buildLayerNorm } from '../blocks/norm';
import { stated } from '../facts';
import type { Builder } from '../modules';
import type { MemoryRun } from '../run';

/** BertConfig's own values. */
const DROPOUT = 0.1;
const TYPES = 2;

function ratesOf({ model, task }: MemoryRun): DropoutRates {
  if (task !== 'train') return { hidden: 0, attention: 0 };
  return {
    hidden: stated(model, 'hidden_dropout_prob', DROPOUT),
    attention: stated(model, 'attention_probs_dropout_prob', DROPOUT),
  };
}

/** Heads that read the pooled first token; AutoModel has a pooler too. */
const POOLED: ReadonlySet<MemoryRun['head']> = new Set(['base', 'sequence-classification']);

function build(builder: Builder, run: MemoryRun): Model {
  const { model } = run;
  const { hiddenSize, positionRows } = model;
  const embeddings = buildEmbeddings(builder, model);
  const layers = builder.repeat(model.layers, () => buildEncoderLayer(builder, model));
  const pooler = POOLED.has(run.head)
    ? builder.linear({ name: 'dense', inputs: hiddenSize, outputs: hiddenSize, bias: true })
    : null;
  // position_ids and token_type_ids
  builder.buffer(positionRows * 8);
  builder.buffer(positionRows * 8);
  const rates = ratesOf(run);
  const parts = { embeddings, layers, pooler, rates };
  const head = encoderHead(builder, run, { words: embeddings.words, dropout: rates.hidden });
  return (tape, batch) => {
    const encoded = encoder(tape, batch, parts, run);
    const outputs = encoded.pooled ? [encoded.hidden, encoded.pooled] : [encoded.hidden];
    return tape.call(outputs, () => head(tape, encoded, batch));
  };
}

function buildEmbeddings(builder: Builder, model: ModelFacts): EncoderEmbeddings {
  const { hiddenSize, vocabSize, positionRows } = model;
  const types = stated(model, 'type_vocab_size', TYPES);
  return {
    words: builder.embedding('word_embeddings', vocabSize, hiddenSize),
    positions: builder.embedding('position_embeddings', positionRows, hiddenSize),
    types: builder.embedding('token_type_embeddings', types, hiddenSize),
    norm: buildLayerNorm(builder, hiddenSize),
  };
}

/** Learned positions, full attention, LayerNorm after each residual, dropout while training. */
export const bert: Architecture = {
  modelTypes: ['bert'],
  source: 'transformers 5.23.0, models/bert/modeling_bert.py',
  heads: ['base', 'masked-lm', 'sequence-classification', 'token-classification'],
  missing: () => [],
  build,
};
