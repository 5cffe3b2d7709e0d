import type { ModelBuilder } from '../builder';
import type { Linear, LinearShape } from '../modules';
import { copy } from '../ops/shape';
import { to } from '../ops/pointwise';
import type { MemoryRun } from '../run';
import type { Tape } from '../tape';
import type { Tensor } from '../tensor';
import { WEIGHTS } from '../terms';

/** bitsandbytes: weights per absmax (QLoRA, arXiv 2305.14314), and absmaxes per second-level constant. */
const BLOCK = 64;
const SECOND_BLOCK = 256;

/** A linear layer whose weight is held in fewer bits and dequantised for each use. */
export function quantizedLinear(builder: ModelBuilder, run: MemoryRun, shape: LinearShape): Linear {
  const elements = shape.inputs * shape.outputs;
  const blocks = Math.ceil(elements / BLOCK);
  const parts = [Math.ceil(elements / 2), ...scales(blocks, run.quantization === 'nf4-dq')];
  for (const bytes of parts) builder.reserve(bytes, WEIGHTS);
  builder.record(
    WEIGHTS,
    run.quantization ?? 'nf4',
    elements,
    parts.reduce((sum, bytes) => sum + bytes, 0),
  );
  if (shape.bias) builder.weight([shape.outputs]);
  const dtype = run.autocast ?? run.weightDtype;
  return (tape, input) =>
    tape.call([input], () => {
      const x = tape.name(to(tape, input, dtype));
      return copy(tape, to(tape, dequantizedMatmul(tape, x, shape), input.dtype));
    });
}

/** Bytes of the absmaxes: fp32, or 8-bit with fp32 constants of their own. */
function scales(blocks: number, double: boolean): number[] {
  return double ? [blocks, Math.ceil(blocks / SECOND_BLOCK) * 4] : [blocks * 4];
}

/** The weight exists in full for the product only, forwards and backwards; the input is not kept. */
function dequantizedMatmul(tape: Tape, x: Tensor, { inputs, outputs }: LinearShape): Tensor {
  const node = tape.record(x);
  if (node) {
    node.backward = grad => {
      const weight = tape.empty(inputs * outputs, grad.dtype);
      return [tape.done(tape.empty(x.elements, grad.dtype), weight)];
    };
  }
  const weight = tape.empty(inputs * outputs, x.dtype);
  const result = tape.empty((x.elements / inputs) * outputs, x.dtype, node);
  return tape.done(result, weight, x);
}
