import type { Linear, LinearShape, WeightBuilder } from '../modules';
import { to } from '../ops/cast';
import type { MemoryRun, QuantizedWeights } from '../run';
import { bytesPer } from '../tensor';
import { TEMPORARIES } from '../terms';
import { isServed } from '../quantization';

/*
 * Products with quantized weights in inference: kernels that unpack while multiplying, and for many rows the whole
 * weight in 16 bits.
 */

/** A linear layer in inference; null if it uses the training code (bitsandbytes). */
export function inferenceLinear(
  builder: WeightBuilder,
  { numbers: { weightDtype } }: MemoryRun,
  format: QuantizedWeights,
  shape: LinearShape,
): Linear | null {
  if (isServed(format)) return fp8Linear(shape);
  if (format.startsWith('awq')) return awqLinear(shape);
  if (!format.startsWith('gptq')) return null;
  if (!format.startsWith('gptq-4')) return unpackingLinear(shape, GPTQ_ROWS);
  // ExLlama: one buffer for the largest weight of the model (AutoGPTQ, modeling/_utils.py, temp_dq).
  builder.reserveLargest(shape.inputs * shape.outputs * bytesPer(weightDtype), TEMPORARIES);
  return unpackingLinear(shape, Infinity);
}

/**
 * From this number of rows, AutoGPTQ unpacks the weight before multiplying (qlinear_cuda_old.py,
 * kernel_switch_threshold).
 */
const GPTQ_ROWS = 128;

function unpackingLinear({ inputs, outputs }: LinearShape, from: number): Linear {
  return (tape, x) => {
    const rows = x.elements / inputs;
    const weight = rows < from ? null : tape.empty(inputs * outputs, x.dtype);
    const result = tape.empty(rows * outputs, x.dtype);
    if (weight) tape.spend(weight);
    return tape.done(result, x);
  };
}

/**
 * From this number of rows, AutoAWQ unpacks the weight; below it, its kernel computes partial sums
 * (modules/linear/gemm.py).
 */
const AWQ_ROWS = 1024;
const AWQ_PARTS = 8;

/** WQLinear_GEMM: computes in fp16. */
function awqLinear({ inputs, outputs }: LinearShape): Linear {
  return (tape, input) =>
    tape.call([input], () => {
      const x = to(tape, input, 'fp16');
      const rows = x.elements / inputs;
      const isLarge = rows >= AWQ_ROWS;
      const scratch = tape.empty(isLarge ? inputs * outputs : AWQ_PARTS * rows * outputs, 'fp16');
      const result = tape.done(tape.empty(rows * outputs, 'fp16'), scratch, x);
      return to(tape, result, input.dtype);
    });
}

/** Values of the input that share a scale (finegrained_fp8.py, act_quant). */
const FP8_GROUP = 128;

/** FP8Linear: the input in 8 bits with a scale per group, and a product in the input's dtype. */
function fp8Linear({ inputs, outputs }: LinearShape): Linear {
  return (tape, x) =>
    tape.call([x], () => {
      tape.name(tape.empty(x.elements, 'uint8'));
      tape.name(tape.empty(x.elements / FP8_GROUP, 'fp32'));
      return tape.empty((x.elements / inputs) * outputs, x.dtype);
    });
}
