import type { ModelFacts } from '../../models/model';
import type { Architecture, Model } from '../architecture';
import { attendBiased } from '../blocks/images/biasedAttention';
import { buildPatchEmbeddings, embedPatches } from '../blocks/images/patches';
import { encodePatches, imageContext } from '../blocks/images/patchTransformer';
import { buildRelativeBias, relativeBias } from '../blocks/images/relativeBias';
import type { Grid, RelativeBias } from '../blocks/images/relativeBias';
import type { Layer } from '../blocks/layers';
import { classLoss } from '../blocks/loss/crossEntropy';
import { buildPlainMlp } from '../blocks/mlp';
import { buildLayerNorm } from '../blocks/norm';
import { flag, stated } from '../configValues';
import type { Builder, Step } from '../modules';
import { add, mean, mul, scale, stochasticDepth } from '../ops/pointwise';
import { slice } from '../ops/shape';
import type { MemoryRun } from '../run';
import { LOGITS } from '../terms';

const gridOf = (patch: number, height: number, width: number): Grid => ({
  height: Math.floor(height / patch),
  width: Math.floor(width / patch),
});

const patchOf = (model: ModelFacts): number => stated(model, 'patch_size', 0);

/** The grid of patches that the model was made for. */
function trainedGrid(model: ModelFacts): Grid {
  const side = stated(model, 'image_size', 0);
  return gridOf(patchOf(model), side, side);
}

/** BeitDropPath: divides by the keep probability, and multiplies by a number per image. */
function dropPath({ model, task, batch: { rows: batch } }: MemoryRun, isFirst: boolean): Step {
  const drops = task === 'train' && !isFirst && stated(model, 'drop_path_rate', 0.1) > 0;
  return (tape, x) => (drops ? stochasticDepth(tape, scale(tape, x), batch) : x);
}

/** BeitLayer: multiplies the outputs of attention and MLP by a number per channel. */
function buildLayer(builder: Builder, run: MemoryRun, isFirst: boolean, grid: Grid): Layer {
  const { model } = run;
  const { hiddenSize: hidden, heads } = model;
  const scales = stated(model, 'layer_scale_init_value', 0.1) > 0;
  const channelScale = (): Step => {
    const lambda = scales ? builder.kernel([hidden]) : null;
    return (tape, x) => (lambda ? mul(tape, lambda, x) : x);
  };
  const [first, second] = [channelScale(), channelScale()];
  const linear = (name: string, bias: boolean): Step =>
    builder.linear({ name, inputs: hidden, outputs: hidden, bias });
  const projections = [linear('query', true), linear('key', false), linear('value', true)] as const;
  const biased = flag(model, 'use_relative_position_bias');
  const table: RelativeBias | null = biased ? buildRelativeBias(builder, trainedGrid(model), heads) : null;
  const output = linear('output.dense', true);
  const mlp = buildPlainMlp(builder, model, { up: 'intermediate.dense', down: 'output.dense' });
  const norms = [buildLayerNorm(builder, hidden), buildLayerNorm(builder, hidden)] as const;
  const drop = dropPath(run, isFirst);
  return (tape, x, context) =>
    tape.call([x], () => {
      const states = tape.name(norms[0](tape, x));
      // Since the shared functions, it belongs to the layer and lives to the layer's end.
      const early = table && !run.behavior.formerCode ? tape.name(relativeBias(tape, table, grid)) : null;
      const bias = table && (() => early ?? relativeBias(tape, table, grid));
      const mixed = attendBiased(tape, states, { projections, output, bias }, context);
      const attended = tape.rename(states, first(tape, mixed));
      const middle = tape.rename(attended, add(tape, drop(tape, attended), x));
      const narrow = tape.name(mlp(tape, norms[1](tape, middle)));
      const scaled = tape.rename(narrow, second(tape, narrow));
      return add(tape, drop(tape, scaled), middle);
    });
}

/** BeitPooler: the mean of the patches and a norm, or the class token. */
function buildPooler(builder: Builder, { model, batch: { rows: batch } }: MemoryRun, tokens: number): Step {
  const { hiddenSize: hidden } = model;
  if (model.extra['use_mean_pooling'] === false) return (tape, x) => slice(tape, x, batch * hidden);
  const norm = buildLayerNorm(builder, hidden);
  return (tape, x) => norm(tape, mean(tape, slice(tape, x, x.elements - batch * hidden), tokens - 1));
}

function build(builder: Builder, run: MemoryRun): Model {
  const { model } = run;
  const { image } = run.batch;
  const { hiddenSize: hidden } = model;
  const positions = flag(model, 'use_absolute_position_embeddings');
  const design = { hidden, patch: patchOf(model), leading: 1, positions };
  const embeddings = buildPatchEmbeddings(builder, run, design);
  const grid = gridOf(design.patch, image?.height ?? 0, image?.width ?? 0);
  let isFirst = true;
  const layers = builder.repeat(model.layers, () => {
    const layer = buildLayer(builder, run, isFirst, grid);
    isFirst = false;
    return layer;
  });
  const pools = model.extra['use_mean_pooling'] !== false;
  const encoder = { layers, norm: pools ? null : buildLayerNorm(builder, hidden) };
  const pooler = buildPooler(builder, run, embeddings.tokens);
  const outputs = stated(model, 'num_labels', CLASSES);
  const classifier = builder.linear({ name: 'classifier', inputs: hidden, outputs, bias: true });
  return (tape, { inputIds, labels }) =>
    tape.call([inputIds], () => {
      const embedded = embedPatches(tape, inputIds, embeddings, run, 0);
      const context = imageContext(run, embeddings.tokens);
      const states = tape.name(encodePatches(tape, embedded, encoder, run, context));
      const pooled = tape.name(pooler(tape, states));
      const logits = tape.name(classifier(tape, pooled));
      return tape.during(LOGITS, () => classLoss(tape, logits, labels));
    });
}

/** The default number of classes (transformers, PretrainedConfig.num_labels). */
const CLASSES = 2;

function missing(model: ModelFacts): readonly string[] {
  if (patchOf(model) === 0) return ['the patch size'];
  const shared = flag(model, 'use_shared_relative_position_bias');
  return shared ? ['the memory of a position bias that layers share'] : [];
}

/** A patch transformer whose attention has a bias per distance. */
export const beit: Architecture = {
  modelTypes: ['beit', 'data2vec-vision'],
  source:
    'transformers 5.23.0, models/beit/modeling_beit.py, models/data2vec/modeling_data2vec_vision.py; 4.48.0',
  samples: 'images',
  heads: ['image-classification'],
  missing,
  build,
};
