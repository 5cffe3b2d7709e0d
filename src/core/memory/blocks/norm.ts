import type { Builder, Step } from '../modules';
import { fusedRmsNorm } from '../ops/fused';
import { layerNorm, layerNormIn } from '../ops/norm';
import { to } from '../ops/cast';
import { add, mean, mul, rsqrt, shift, square } from '../ops/pointwise';
import type { MemoryRun } from '../run';
import type { Tape } from '../tape';
import type { Parameter, Tensor } from '../tensor';

/** A norm over rows of `size`: operation by operation as `pass` has it, or one kernel for everything. */
const rmsNormBy =
  (pass: (tape: Tape, x: Tensor, weight: Parameter) => Tensor) =>
  (builder: Builder, { model, behavior }: MemoryRun, size = model.hiddenSize): Step => {
    const weight = builder.vector(size);
    const run = behavior.kernels.rmsNorm ? fusedRmsNorm : pass;
    return (tape, x) => run(tape, x, weight);
  };

/** LlamaRMSNorm: normalized in fp32, cast back, times the weight. */
export const buildRmsNorm = rmsNormBy((tape, x, weight) => rmsNorm(tape, x, weight));

/** Olmo2RMSNorm, GptOssRMSNorm: normalized and multiplied in fp32, then cast back. */
export const buildWideRmsNorm = rmsNormBy((tape, x, weight) => rmsNorm(tape, x, weight, true));

/** GemmaRMSNorm: times one plus the weight, in fp32, then cast back. */
export const buildGemmaNorm = rmsNormBy(gemmaNorm);

/** torch.nn.LayerNorm. */
export function buildLayerNorm(builder: Builder, size: number, bias: 'bias' | 'no bias' = 'bias'): Step {
  const norm = { weight: builder.vector(size), bias: bias === 'bias' ? builder.vector(size) : null };
  return (tape, x) => layerNorm(tape, x, norm);
}

/** LPLayerNorm of LLM Foundry: copies of input and weights in the dtype of autocast, which does not widen them. */
export function buildLowLayerNorm(builder: Builder, size: number, bias: 'bias' | 'no bias'): Step {
  const weight = builder.vector(size);
  const shift = bias === 'bias' ? builder.vector(size) : null;
  return (tape, x) =>
    tape.call([x], () => {
      const dtype = tape.autocast?.dtype ?? x.dtype;
      const low = (of: Tensor): Tensor => tape.name(of.dtype === dtype ? of : to(tape, of, dtype));
      return layerNormIn(tape, low(x), { weight: low(weight), bias: shift && low(shift), width: size });
    });
}

/** `wide`: multiplies by the weight before casting back. */
function rmsNorm(tape: Tape, input: Tensor, weight: Parameter, wide = false): Tensor {
  const [width = 1] = weight.shape;
  return tape.call([input], () => {
    const x = tape.name(to(tape, input, 'fp32'));
    const variance = tape.name(mean(tape, square(tape, x), width));
    const normalized = tape.rename(x, mul(tape, x, rsqrt(tape, shift(tape, variance))));
    if (wide) return to(tape, mul(tape, weight, normalized), input.dtype);
    return mul(tape, weight, to(tape, normalized, input.dtype));
  });
}

/** CohereLayerNorm: mean and deviation in fp32, operation by operation, without a bias. */
export function buildMeanNorm(builder: Builder, { model }: MemoryRun, size = model.hiddenSize): Step {
  const weight = builder.vector(size);
  return (tape, input) =>
    tape.call([input], () => {
      const x = tape.name(to(tape, input, 'fp32'));
      const center = tape.name(mean(tape, x, size));
      const variance = tape.name(mean(tape, square(tape, add(tape, x, center)), size));
      const factor = rsqrt(tape, shift(tape, variance));
      const normalized = tape.rename(x, mul(tape, add(tape, x, center), factor));
      const scaled = tape.rename(normalized, mul(tape, to(tape, weight, 'fp32'), normalized));
      return to(tape, scaled, input.dtype);
    });
}

function gemmaNorm(tape: Tape, input: Tensor, weight: Parameter): Tensor {
  const [width = 1] = weight.shape;
  return tape.call([input], () => {
    const normalized = tape.name(normalize(tape, to(tape, input, 'fp32'), width));
    const factor = shift(tape, to(tape, weight, 'fp32'));
    const scaled = tape.rename(normalized, mul(tape, normalized, factor));
    return to(tape, scaled, input.dtype);
  });
}

/** `x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps)` */
function normalize(tape: Tape, x: Tensor, width: number): Tensor {
  return tape.call([x], () => mul(tape, x, rsqrt(tape, shift(tape, mean(tape, square(tape, x), width)))));
}
