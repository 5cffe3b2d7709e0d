import type { ModelFacts } from '../../models/model';
import type { Head } from '../../spec/values';
import type { Architecture, Model } from '../architecture';
import { encoder } from './encoder';
import type { DropoutRates, EncoderEmbeddings, RowsOf } from './encoder';
import { encoderHead } from './encoderHeads';
import { buildEncoderLayer } from './encoderLayer';
import { buildLayerNorm } from './norm';
import { stated } from '../facts';
import type { Builder } from '../modules';
import type { MemoryRun } from '../run';

/** The values of BertConfig and its kin. */
const DROPOUT = 0.1;
const TYPES = 2;

/** What members of the family differ in. */
export interface EncoderDesign {
  readonly modelTypes: readonly string[];
  readonly source: string;
  readonly rowsOf: RowsOf;
  /** Heads that read the pooled first token; AutoModel has a pooler, too. */
  readonly pooled: readonly Head[];
}

/** An architecture of encoders: learned positions, full attention, LayerNorm after each residual, dropout. */
export function encoderArchitecture(design: EncoderDesign): Architecture {
  return {
    modelTypes: design.modelTypes,
    source: design.source,
    heads: ['base', 'masked-lm', 'sequence-classification', 'token-classification'],
    missing: () => [],
    build: (builder, run) => build(builder, run, design),
  };
}

function ratesOf({ model, task }: MemoryRun): DropoutRates {
  if (task !== 'train') return { hidden: 0, attention: 0 };
  return {
    hidden: stated(model, 'hidden_dropout_prob', DROPOUT),
    attention: stated(model, 'attention_probs_dropout_prob', DROPOUT),
  };
}

function build(builder: Builder, run: MemoryRun, { pooled, rowsOf }: EncoderDesign): Model {
  const { model } = run;
  const { hiddenSize, positionRows } = model;
  const embeddings = buildEmbeddings(builder, model);
  const layers = builder.repeat(model.layers, () => buildEncoderLayer(builder, model));
  const pooler = pooled.includes(run.head)
    ? builder.linear({ name: 'dense', inputs: hiddenSize, outputs: hiddenSize, bias: true })
    : null;
  // position_ids and token_type_ids
  builder.buffer(positionRows * 8);
  builder.buffer(positionRows * 8);
  const rates = ratesOf(run);
  const parts = { embeddings, layers, pooler, rates, rowsOf };
  const ownPooling = !pooled.includes('sequence-classification');
  const head = encoderHead(builder, run, { words: embeddings.words, dropout: rates.hidden, ownPooling });
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
