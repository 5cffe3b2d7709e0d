import type { ModelFacts } from '../../../models/model';
import type { Architecture, Model } from '../../architecture';
import { stated } from '../../configValues';
import type { Builder } from '../../modules';
import { activation } from '../../ops/pointwise';
import type { MemoryRun } from '../../run';
import { encoderHead } from '../encoderHeads';
import type { DropoutRates } from '../encoderEmbeddings';
import { buildLayerNorm } from '../norm';
import { buildConvolutionLayer } from './convolution';
import { buildDebertaLayer } from './layer';
import type { DebertaLayer, MakeAttention } from './layer';
import { debertaEmbeddings, debertaModel } from './model';
import { words } from './positions';

/** Differences between the two generations. */
interface DebertaDesign {
  readonly modelTypes: readonly string[];
  readonly source: string;
  readonly attention: MakeAttention;
}

/** A DeBERTa architecture: one table of distances, from which all layers compute keys and queries. */
export function debertaArchitecture({ attention, ...names }: DebertaDesign): Architecture {
  return {
    ...names,
    hasLayers: true,
    attention: 'eager',
    heads: ['base', 'masked-lm', 'sequence-classification', 'token-classification'],
    build: (builder, run) => build(builder, run, attention),
  };
}

/** The default of DebertaV2Config. */
const DROPOUT = 0.1;

function ratesOf({ model, task }: MemoryRun): DropoutRates {
  if (task !== 'train') return { hidden: 0, attention: 0 };
  return {
    hidden: stated(model, 'hidden_dropout_prob', DROPOUT),
    attention: stated(model, 'attention_probs_dropout_prob', DROPOUT),
  };
}

const layersOf = (
  builder: Builder,
  model: ModelFacts,
  make: MakeAttention,
): ReturnType<typeof builder.repeat<DebertaLayer>> => {
  const one = (): DebertaLayer => builder.layer(() => buildDebertaLayer(builder, model, make));
  // The last layer begins the gradient of the shared table.
  const alone = model.layers > 1 ? 1 : 0;
  return [...builder.repeat(model.layers - alone, one), ...(alone > 0 ? builder.repeat(alone, one) : [])];
};

function build(builder: Builder, run: MemoryRun, attention: MakeAttention): Model {
  const { model } = run;
  const rates = ratesOf(run);
  const embeddings = debertaEmbeddings(builder, run, rates);
  const layers = layersOf(builder, model, attention);
  const rows = 2 * stated(model, 'position_buckets', 0);
  const places = builder.embedding('rel_embeddings', rows, model.hiddenSize);
  const normed = words(model, 'norm_rel_ebd').includes('layer_norm');
  const placesNorm = normed ? buildLayerNorm(builder, model.hiddenSize) : null;
  const convolution = buildConvolutionLayer(builder, model, rates.hidden);
  const hasBuckets = model.extra['has_buckets'] !== false;
  builder.buffer((model.maxPositions ?? 0) * 8);
  const parts = { embeddings, layers, places, placesNorm, convolution, hasBuckets, rates };
  const head = encoderHead(builder, run, {
    words: embeddings.words,
    dropout: rates.hidden,
    ownPooling: true,
    style: { pooling: { names: ['dense', 'classifier'], act: activation, dropsInput: true } },
  });
  return (tape, batch) => {
    const hidden = debertaModel(tape, batch, parts, run);
    return tape.call([hidden], () => head(tape, { hidden, pooled: null }, batch));
  };
}
