import { fusedRmsNorm } from '../ops/fused';
import { mean, mul, rsqrt, shift, square, to } from '../ops/pointwise';
import type { Tape } from '../tape';
import type { Parameter, Tensor } from '../tensor';

/** LlamaRMSNorm: normalised in fp32, cast back, times the weight; or one kernel for it all. */
export function rmsNorm(tape: Tape, input: Tensor, weight: Parameter, fused: boolean): Tensor {
  if (fused) return fusedRmsNorm(tape, input, weight);
  const [width = 1] = weight.shape;
  return tape.call([input], () => {
    const x = tape.name(to(tape, input, 'fp32'));
    const variance = tape.name(mean(tape, square(tape, x), width));
    const normalised = tape.rename(x, mul(tape, x, rsqrt(tape, shift(tape, variance))));
    return mul(tape, weight, to(tape, normalised, input.dtype));
  });
}
