import type { Builder } from '../../../modules';
import { activation, add, mul } from '../../../ops/pointwise';
import { copy } from '../../../ops/shape';
import type { Tape } from '../../../tape';
import type { Parameter, Tensor } from '../../../tensor';
import { buildConvolution } from '../../images/layers';
import type { FeatureMaps } from '../../images/layers';
import { buildModulations, modulate } from '../timeEmbedding';
import { rmsNorm } from '../layers';

/** A layer over maps with a condition: the pooled text and the image's sizes. */
export type Conditioned = (tape: Tape, x: Tensor, condition: Tensor) => Tensor;

const WIDENING = 4;

/** ConvNextBlock (diffusers, models/unets/uvit_2d.py). `size`: the condition's. */
export function buildConvNext(builder: Builder, maps: FeatureMaps, size: number): Conditioned {
  const { channels } = maps;
  const inner = channels * WIDENING;
  const shape = { channels, size: 3, padding: 1, groups: channels, bias: false };
  const [depthwise] = buildConvolution(builder, maps, shape).steps;
  const norm = rmsNorm(builder, channels);
  const linear = (name: string, inputs: number, outputs: number) =>
    builder.linear({ name, inputs, outputs, bias: false });
  const up = linear('channelwise_linear_1', channels, inner);
  const response = { gamma: builder.vector(inner), beta: builder.vector(inner) };
  const down = linear('channelwise_linear_2', inner, channels);
  const vectors = buildModulations(builder, 'cond_embeds_mapper', {
    from: size,
    size: channels,
    count: 2,
    bias: false,
  });
  return (tape, x, condition) =>
    tape.call([x, condition], () => {
      let states = tape.name(depthwise ? depthwise(tape, x) : x);
      states = tape.rename(states, norm(tape, states));
      // Maps are laid out by channel, but the product needs them by pixel.
      states = tape.rename(states, up(tape, copy(tape, states)));
      states = tape.rename(states, activation(tape, states));
      states = tape.rename(states, globalResponse(tape, states, response, maps.batch));
      states = tape.rename(states, down(tape, states));
      states = tape.rename(states, add(tape, states, x));
      const [factor = condition, offset = condition] = vectors(tape, condition).map(one => tape.name(one));
      return modulate(tape, states, factor, offset);
    });
}

/** GlobalResponseNorm: `gamma * (x * nx) + beta + x`. */
function globalResponse(
  tape: Tape,
  x: Tensor,
  { gamma, beta }: { readonly gamma: Parameter; readonly beta: Parameter },
  batch: number,
): Tensor {
  const [width = 1] = gamma.shape;
  return tape.call([x], () => {
    const norms = tape.name(mapNorms(tape, x, batch * width));
    return add(tape, add(tape, mul(tape, gamma, mul(tape, x, norms)), beta), x);
  });
}

/**
 * torch.norm over each map, summed in fp32 by autocast (fp32_append_dtype): keeps its input; in backward `self *
 * (grad / norm)`.
 */
function mapNorms(tape: Tape, x: Tensor, maps: number): Tensor {
  const node = tape.record(x);
  const result = tape.empty(maps, tape.autocast ? 'fp32' : x.dtype, node);
  if (node) {
    node.save(x);
    node.save(result);
    node.backward = () => [tape.like(x)];
  }
  return tape.done(result, x);
}
