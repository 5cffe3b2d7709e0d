import { numbers, stated } from '../../../configValues';
import type { Builder, Step } from '../../../modules';
import { sdpa } from '../../../ops/attention';
import { activation, add, dropout, scale, stochasticDepth } from '../../../ops/pointwise';
import { layerNorm } from '../../../ops/norm';
import { copy } from '../../../ops/shape';
import type { MemoryRun } from '../../../run';
import type { Tape } from '../../../tape';
import type { Tensor } from '../../../tensor';
import { checkpoint } from '../../../transforms/checkpoint';
import { viewAsHeads } from '../../attend';
import { eagerAttention } from '../../eagerAttention';
import { buildLayerNorm } from '../../norm';
import { buildConvolution, imagesOf, sequence } from '../layers';
import type { FeatureMaps } from '../layers';
import { imageContext } from '../patchTransformer';

/** Values that the layers of one stage share. */
interface StageShape {
  readonly heads: number;
  /** Keys and values use one position out of this many per side. */
  readonly reduction: number;
  readonly widening: number;
}

/** Maps after each stage. */
interface MixTransformer {
  readonly sizes: readonly FeatureMaps[];
  readonly run: (tape: Tape, pixels: Tensor) => Tensor[];
}

/** SegformerOverlapPatchEmbeddings: a convolution, and a norm over a channels-last layout. */
function buildEmbeddings(builder: Builder, from: FeatureMaps, shape: Window): { run: Step; to: FeatureMaps } {
  const { channels, size, stride } = shape;
  const window = { channels, size, stride, padding: Math.floor(size / 2), bias: true };
  const { steps, to } = buildConvolution(builder, from, window);
  const norm = { weight: builder.vector(channels), bias: builder.vector(channels) };
  const convolve = sequence(steps);
  const run: Step = (tape, x) =>
    tape.call([x], () => layerNorm(tape, tape.name(convolve(tape, x)), norm, 'by head'));
  return { run, to };
}

interface Window {
  readonly channels: number;
  readonly size: number;
  readonly stride: number;
}

/** SegformerAttention: keys and values use fewer positions than queries. */
function buildAttention(builder: Builder, run: MemoryRun, at: FeatureMaps, shape: StageShape): Step {
  const { channels, batch } = at;
  const { heads, reduction } = shape;
  const linear = (name: string): Step =>
    builder.linear({ name, inputs: channels, outputs: channels, bias: true });
  const [q, k, v, output] = [linear('q_proj'), linear('k_proj'), linear('v_proj'), linear('o_proj')];
  const reduced = reduction > 1 ? buildReduction(builder, at, reduction) : null;
  const places = (maps: FeatureMaps): number => maps.height * maps.width;
  const keys = reduced ? places(reduced.to) : places(at);
  const context = imageContext(run, places(at));
  const sizes = { batch, heads, kvHeads: heads, headDim: channels / heads, queries: places(at), keys };
  const attention = { ...context, shape: { ...sizes, hasFlash: run.kernels.hasFlash } };
  const eager = run.kernels.attention === 'eager';
  return (tape, x) =>
    tape.call([x], () => {
      const query = tape.name(viewAsHeads(tape, q(tape, x), heads, eager));
      const source = reduced ? tape.name(reduced.run(tape, x)) : x;
      const key = tape.name(viewAsHeads(tape, k(tape, source), heads, eager));
      const value = tape.name(viewAsHeads(tape, v(tape, source), heads, eager));
      const inputs = { query, key, value };
      if (!eager) return output(tape, tape.name(sdpa(tape, inputs, attention.shape, null)));
      const [mixed = query] = eagerAttention(tape, inputs, attention).map(each => tape.name(each));
      return output(tape, mixed);
    });
}

/** SegformerSequenceReduction: the token layout is a channels-last map, and so is the result. */
function buildReduction(builder: Builder, at: FeatureMaps, size: number): { run: Step; to: FeatureMaps } {
  const { channels } = at;
  const { steps, to } = buildConvolution(builder, at, { channels, size, stride: size, bias: true });
  return { run: sequence([...steps, buildLayerNorm(builder, channels)]), to };
}

/** SegformerMixMLP: an MLP with a depthwise convolution between its layers. */
function buildMixMlp(builder: Builder, run: MemoryRun, at: FeatureMaps, widening: number): Step {
  const { channels } = at;
  const wide = channels * widening;
  const up = builder.linear({ name: 'fc1', inputs: channels, outputs: wide, bias: true });
  const shape = { channels: wide, size: 3, padding: 1, groups: wide, bias: true };
  const around = buildConvolution(builder, { ...at, channels: wide }, shape);
  const down = builder.linear({ name: 'fc2', inputs: wide, outputs: channels, bias: true });
  const rate = run.task === 'train' ? stated(run.model, 'hidden_dropout_prob', 0) : 0;
  const dropped: Step = (tape, x) => dropout(tape, x, rate);
  return sequence([up, sequence(around.steps), activation, dropped, down, dropped]);
}

/** SegformerLayer with stochastic depth, except for the first one. */
function buildLayer(
  builder: Builder,
  run: MemoryRun,
  at: FeatureMaps,
  shape: StageShape & { readonly isFirst: boolean },
): Step {
  const { channels, batch } = at;
  const drops = run.task === 'train' && !shape.isFirst && stated(run.model, 'drop_path_rate', 0.1) > 0;
  const dropped: Step = (tape, x) =>
    drops && !tape.evaluates
      ? tape.call([x], () => stochasticDepth(tape, tape.name(scale(tape, x)), batch))
      : x;
  const first = buildLayerNorm(builder, channels);
  const attention = buildAttention(builder, run, at, shape);
  const second = buildLayerNorm(builder, channels);
  const mlp = buildMixMlp(builder, run, at, shape.widening);
  return (tape, x) =>
    tape.call([x], () => {
      const normed = tape.name(first(tape, x));
      const mixed = tape.rename(normed, attention(tape, normed));
      const middle = tape.rename(mixed, add(tape, dropped(tape, mixed), x));
      const again = tape.name(second(tape, middle));
      const wide = tape.rename(again, mlp(tape, again));
      return add(tape, dropped(tape, wide), middle);
    });
}

/** MiT: four stages, each with fewer positions and more channels than the previous one, and a norm after each. */
export function buildMixTransformer(builder: Builder, run: MemoryRun): MixTransformer {
  const { model } = run;
  const kind = run.recompute.checkpointing;
  const each = (name: string): readonly number[] => numbers(model, name);
  let at = imagesOf(run);
  let isFirst = true;
  const stages = each('hidden_sizes').map((channels, i) => {
    const window = { channels, size: each('patch_sizes')[i] ?? 3, stride: each('strides')[i] ?? 2 };
    const embeddings = buildEmbeddings(builder, at, window);
    at = embeddings.to;
    const here = at;
    const shape = {
      heads: each('num_attention_heads')[i] ?? 1,
      reduction: each('sr_ratios')[i] ?? 1,
      widening: each('mlp_ratios')[i] ?? 4,
    };
    const layers = builder.repeat(each('depths')[i] ?? 1, () => {
      const layer = buildLayer(builder, run, here, { ...shape, isFirst });
      isFirst = false;
      return layer;
    });
    return { embeddings: embeddings.run, layers, norm: buildLayerNorm(builder, channels), to: here };
  });
  return {
    sizes: stages.map(({ to }) => to),
    run: (tape, pixels) => {
      let states = pixels;
      return stages.map(({ embeddings, layers, norm }) => {
        const made = tape.call([states], () => {
          let x = tape.name(embeddings(tape, states));
          for (const { part, times } of layers) {
            const body = (y: Tensor): Tensor => part(tape, y);
            x = tape.repeat(times, x, [y => checkpoint(tape, y, { kind, captured: [], body })]);
          }
          x = tape.rename(x, norm(tape, x));
          return copy(tape, x);
        });
        states = tape.name(made);
        return states;
      });
    },
  };
}
