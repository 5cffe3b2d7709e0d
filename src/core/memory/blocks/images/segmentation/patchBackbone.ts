import { stated } from '../../../configValues';
import type { Builder, Repeated, Step } from '../../../modules';
import { batchedMatmul, softmax } from '../../../ops/attention';
import { activation, add, scale, stochasticDepth } from '../../../ops/pointwise';
import { copy, slice, viewWhoseGradientIsCopied } from '../../../ops/shape';
import type { MemoryRun } from '../../../run';
import type { Tape } from '../../../tape';
import type { Tensor } from '../../../tensor';
import { buildLayerNorm } from '../../norm';
import { imagesOf, sequence } from '../layers';
import type { FeatureMaps } from '../layers';
import { buildPatchEmbeddings, embedPatches } from '../patches';

/** Maps after each quarter of the layers. */
interface PatchBackbone {
  readonly to: FeatureMaps;
  readonly run: (tape: Tape, pixels: Tensor) => readonly Tensor[];
}

const TAPS = 4;

/**
 * torch.nn.MultiheadAttention as mmcv calls it with rows first (bricks/transformer.py): queries, keys and values
 * are projected from separate transposed views, which their products copy and keep; every score exists.
 */
function buildAttention(
  builder: Builder,
  { model, batch: { rows: batch } }: MemoryRun,
  tokens: number,
): Step {
  const { hiddenSize: hidden, heads } = model;
  const linear = (name: string): Step =>
    builder.linear({ name, inputs: hidden, outputs: hidden, bias: true });
  const [query, key, value, output] = ['query', 'key', 'value', 'out_proj'].map(linear);
  const plain = (tensor: Tensor) => ({ tensor, permuted: false });
  return (tape, x) =>
    tape.call([x], () => {
      const projected = (step: Step | undefined): Tensor => {
        const turned = copy(tape, x);
        return tape.name(step ? step(tape, turned) : turned);
      };
      const [q, k, v] = [projected(query), projected(key), projected(value)];
      const scaled = tape.rename(q, scale(tape, q));
      const product = batchedMatmul(tape, plain(scaled), plain(k), batch * heads * tokens ** 2);
      const weights = tape.name(softmax(tape, product));
      const mixed = batchedMatmul(tape, plain(weights), plain(v), x.elements);
      const merged = tape.name(copy(tape, viewWhoseGradientIsCopied(tape, mixed)));
      return output ? output(tape, merged) : merged;
    });
}

/**
 * TransformerEncoderLayer (mmseg backbones/vit.py): attention and an MLP over a norm each, with stochastic depth.
 */
function buildLayer(builder: Builder, run: MemoryRun, tokens: number): Step {
  const { hiddenSize: hidden, intermediateSize: wide } = run.model;
  const dropped: Step = (tape, x) => stochasticDepth(tape, x, run.batch.rows);
  const first = buildLayerNorm(builder, hidden);
  const attention = buildAttention(builder, run, tokens);
  const second = buildLayerNorm(builder, hidden);
  const linear = (inputs: number, outputs: number): Step =>
    builder.linear({ name: 'ffn', inputs, outputs, bias: true });
  const mlp = sequence([linear(hidden, wide), activation, linear(wide, hidden)]);
  return (tape, x) =>
    tape.call([x], () => {
      const middle = tape.name(add(tape, x, dropped(tape, attention(tape, first(tape, x)))));
      return add(tape, middle, dropped(tape, mlp(tape, second(tape, middle))));
    });
}

/** VisionTransformer of mmseg, with output maps after each quarter of the layers. */
export function buildPatchBackbone(builder: Builder, run: MemoryRun): PatchBackbone {
  const { model } = run;
  const batch = run.batch.rows;
  const { hiddenSize: hidden } = model;
  const patch = stated(model, 'patch_size', 16);
  const embeddings = buildPatchEmbeddings(builder, run, { hidden, patch, leading: 1 });
  const quarter = (): readonly Repeated<Step>[] =>
    builder.repeat(model.layers / TAPS, () => buildLayer(builder, run, embeddings.tokens));
  const parts = Array.from({ length: TAPS }, quarter);
  const norm = model.extra['final_norm'] === true ? buildLayerNorm(builder, hidden) : null;
  const images = imagesOf(run);
  const to = { batch, channels: hidden, height: images.height / patch, width: images.width / patch };
  const elements = batch * hidden * to.height * to.width;
  return {
    to,
    run: (tape, pixels) => {
      let states = tape.name(embedPatches(tape, pixels, embeddings, run, 0));
      return parts.map((part, i) => {
        for (const { part: layer, times } of part) {
          states = tape.repeat(times, states, [each => layer(tape, each)]);
        }
        if (norm && i === TAPS - 1) states = tape.rename(states, norm(tape, states));
        return tape.name(copy(tape, copy(tape, slice(tape, states, elements))));
      });
    },
  };
}
