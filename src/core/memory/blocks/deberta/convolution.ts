import type { ModelFacts } from '../../../models/model';
import { stated } from '../../configValues';
import type { Builder } from '../../modules';
import { convolution } from '../../ops/convolution';
import { add, dropout, mul } from '../../ops/pointwise';
import { maskedFill } from '../../ops/select';
import { copy, viewWhoseGradientIsCopied } from '../../ops/shape';
import type { Tape } from '../../tape';
import type { Tensor } from '../../tensor';
import { activationNamed } from '../activation';
import { buildLayerNorm } from '../norm';

/** Combines the first layer's output with a convolution over the embeddings. */
export type ConvolutionLayer = (tape: Tape, x: Tensor, states: Tensor, seen: Tensor) => Tensor;

/** ConvLayer (DeBERTa v2 xlarge and xxlarge); null if the config has none. */
export function buildConvolutionLayer(
  builder: Builder,
  model: ModelFacts,
  rate: number,
): ConvolutionLayer | null {
  const { hiddenSize: hidden } = model;
  const size = stated(model, 'conv_kernel_size', 0);
  if (size === 0) return null;
  const groups = stated(model, 'conv_groups', 1);
  const kernel = { weight: builder.kernel([hidden, hidden / groups, size]), bias: builder.vector(hidden) };
  const norm = buildLayerNorm(builder, hidden);
  const name = model.extra['conv_act'];
  const act = activationNamed(typeof name === 'string' ? name : 'tanh');
  return (tape, x, states, seen) =>
    tape.call([x, states], () => {
      const turned = copy(tape, viewWhoseGradientIsCopied(tape, x));
      const convolved = convolution(tape, turned, kernel, x.elements);
      let out = tape.name(copy(tape, viewWhoseGradientIsCopied(tape, convolved)));
      const hidden = tape.done(tape.empty(seen.elements, 'bool'), tape.like(seen));
      const filled = tape.name(hidden);
      out = tape.rename(out, maskedFill(tape, out, tape.view(filled, filled.elements)));
      out = tape.rename(out, act(tape, dropout(tape, out, rate)));
      const sum = tape.name(add(tape, states, out));
      const normed = tape.name(norm(tape, sum));
      const mask = tape.name(tape.empty(seen.elements, normed.dtype));
      return mul(tape, normed, mask);
    });
}
