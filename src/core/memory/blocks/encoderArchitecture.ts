import type { ModelFacts } from '../../models/model';
import type { Head } from '../../spec/values';
import type { Architecture, Model } from '../architecture';
import { encoder } from './encoder';
import type { MakeBias } from './encoder';
import type { DropoutRates, MakeEmbeddings } from './encoderEmbeddings';
import { encoderHead } from './encoderHeads';
import type { HeadStyle } from './encoderHeads';
import { buildEncoderLayer } from './encoderLayer';
import type { EncoderLayer } from './encoderLayer';
import { stated } from '../configValues';
import type { Builder, Repeated, Step } from '../modules';
import type { MemoryRun } from '../run';

/** The default of BertConfig and similar. */
const DROPOUT = 0.1;

/** Differences between members of the family. */
interface EncoderDesign {
  readonly modelTypes: readonly string[];
  readonly source: string;
  readonly embeddings: MakeEmbeddings;
  /** Heads that use the pooled first token; AutoModel has a pooler, too. */
  readonly pooled: readonly Head[];
  /** Creates one layer, if it differs from BERT's. */
  readonly layer?: (builder: Builder, model: ModelFacts) => EncoderLayer;
  /** The config's names of dropout probabilities, if different from BERT's. */
  readonly rates?: Readonly<Record<keyof DropoutRates, string>>;
  /** Default dropout probability. */
  readonly defaultRate?: number;
  /** Creates the step between the embeddings and the first layer. */
  readonly enter?: (builder: Builder, model: ModelFacts) => Step;
  /** All layers share their weights (ALBERT). */
  readonly sharesLayers?: boolean;
  /** Tables of indices in the embeddings: BERT has positions and types. */
  readonly indexTables?: number;
  readonly headStyle?: HeadStyle;
  /** Creates the table of the bias that all layers add to their scores. */
  readonly bias?: (builder: Builder, run: MemoryRun) => MakeBias;
  /** Default attention implementation. */
  readonly attention?: 'eager';
  readonly checkpoints?: false;
  missing?: Architecture['missing'];
}

/** An architecture of encoders: learned positions, full attention, LayerNorm after each residual, dropout. */
export function encoderArchitecture(design: EncoderDesign): Architecture {
  return {
    modelTypes: design.modelTypes,
    source: design.source,
    hasLayers: true,
    ...(design.attention && { attention: design.attention }),
    ...(design.checkpoints === false && { checkpoints: false }),
    heads: ['base', 'masked-lm', 'sequence-classification', 'token-classification'],
    missing: model => design.missing?.(model) ?? [],
    build: (builder, run) => build(builder, run, design),
  };
}

const BERT_RATES = { hidden: 'hidden_dropout_prob', attention: 'attention_probs_dropout_prob' };

function ratesOf({ model, task }: MemoryRun, design: EncoderDesign): DropoutRates {
  const { rates = BERT_RATES, defaultRate = DROPOUT } = design;
  if (task !== 'train') return { hidden: 0, attention: 0 };
  return {
    hidden: stated(model, rates.hidden, defaultRate),
    attention: stated(model, rates.attention, defaultRate),
  };
}

function build(builder: Builder, run: MemoryRun, design: EncoderDesign): Model {
  const { pooled, indexTables = 2, headStyle } = design;
  const { hiddenSize, positionRows } = run.model;
  const rates = ratesOf(run, design);
  const embeddings = design.embeddings(builder, run, rates);
  const enter = design.enter?.(builder, run.model) ?? null;
  const layers = buildLayers(builder, run.model, design);
  const bias = design.bias?.(builder, run) ?? null;
  const pooler = pooled.includes(run.head)
    ? builder.linear({ name: 'dense', inputs: hiddenSize, outputs: hiddenSize, bias: true })
    : null;
  for (let i = 0; i < indexTables; i++) builder.buffer(positionRows * 8);
  const parts = { embeddings, enter, layers, pooler, rates, bias };
  const head = encoderHead(builder, run, {
    words: embeddings.words,
    dropout: rates.hidden,
    ownPooling: !pooled.includes('sequence-classification'),
    style: headStyle ?? {},
  });
  return (tape, batch) => {
    const encoded = encoder(tape, batch, parts, run);
    const outputs = encoded.pooled ? [encoded.hidden, encoded.pooled] : [encoded.hidden];
    return tape.call(outputs, () => head(tape, encoded, batch));
  };
}

/** Separate layers, or one for all: its gradients accumulate, so it is walked as often as it runs. */
function buildLayers(
  builder: Builder,
  model: ModelFacts,
  design: EncoderDesign,
): readonly Repeated<EncoderLayer>[] {
  const make = (): EncoderLayer =>
    design.layer ? design.layer(builder, model) : buildEncoderLayer(builder, model);
  const one = (): EncoderLayer => builder.layer(make);
  // The last layer begins the gradient of the shared bias.
  const alone = design.bias && model.layers > 1 ? 1 : 0;
  if (design.sharesLayers !== true) {
    return [...builder.repeat(model.layers - alone, one), ...(alone > 0 ? builder.repeat(alone, one) : [])];
  }
  const part = one();
  return Array.from({ length: model.layers }, () => ({ part, times: 1 }));
}
