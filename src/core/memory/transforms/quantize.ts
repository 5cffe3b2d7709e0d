import type { Behavior } from '../frameworks/behavior/behavior';
import type { Linear, LinearShape, WeightBuilder } from '../modules';
import { to } from '../ops/cast';
import { TOWER_PLACE } from '../blocks/images/place';
import { matmul } from '../ops/linear';
import { add } from '../ops/pointwise';
import { copy } from '../ops/shape';
import { weightFormat } from '../quantization';
import type { WeightFormat } from '../quantization';
import { computeDtype } from '../run';
import type { MemoryRun, QuantizedWeights } from '../run';
import type { Tape } from '../tape';
import { bytesPer } from '../tensor';
import type { Element, Tensor } from '../tensor';
import { WEIGHTS } from '../terms';
import { notesProduct, productOf } from '../work';
import { dynamicLinear, isDynamic, quantizes } from './dynamicQuantize';
import { inferenceLinear } from './inferenceKernels';

const EXPERT = /\bexperts?\b/;

/** The format of a layer's weight; null: not quantized. */
export function formatOf(
  { numbers, behavior, model, generation: { serving } }: MemoryRun,
  shape: LinearShape,
): QuantizedWeights | null {
  // Of a mixture, only the experts have it (vllm, quantization/mxfp4.py: LinearBase is left unquantized).
  if (numbers.quantization === 'mxfp4' && model.experts > 0 && !EXPERT.test(shape.name)) return null;
  // Quantized repositories for servers leave the tower as it is (`ignore`, `modules_to_not_convert`).
  if (serving !== null && shape.name.startsWith(TOWER_PLACE)) return null;
  const isQuantized = !shape.keptWide && (!shape.derived || behavior.quantizesDerived);
  return isQuantized && quantizes(numbers.quantization, shape) ? numbers.quantization : null;
}

/** True if a layer that transformers keeps in fp32 is held so. */
export function isWidened({ numbers, behavior }: MemoryRun, { keptWide }: LinearShape): boolean {
  const isNarrow = numbers.weightDtype === 'fp16' || numbers.quantization !== null;
  return keptWide === true && !behavior.madeOfConfig && isNarrow;
}

/** A linear layer with a quantized weight that is dequantized for each use. */
export function quantizedLinear(
  builder: WeightBuilder,
  run: MemoryRun,
  format: QuantizedWeights,
  shape: LinearShape,
): Linear {
  reserve(builder, format, shape);
  // The source exists until it is quantized.
  const source = shape.outputs * shape.inputs * bytesPer(run.numbers.weightDtype);
  if (quantizesWhileLoading(run, format)) builder.pass(source);
  const bias = shape.bias ? builder.weight([shape.outputs]) : null;
  const ready = run.task !== 'train' ? inferenceLinear(builder, run, format, shape) : null;
  if (isDynamic(format)) return dynamicLinear(format, shape, bias);
  const base = ready ?? (format === 'int8' ? int8Linear(shape) : fourBitLinear(run, format, shape));
  return bias === null ? base : (tape, x) => tape.call([x], () => add(tape, base(tape, x), bias));
}

/**
 * bitsandbytes receives each weight in 16 bits on the device, one after another (bitsandbytes nn/modules.py,
 * Params4bit and Int8Params: to; transformers 5.23 core_model_loading.py then loads without threads). Prequantized
 * checkpoints do not need it; configs do not distinguish them.
 */
const quantizesWhileLoading = ({ behavior }: MemoryRun, format: QuantizedWeights): boolean =>
  ON_DEVICE.has(format) && !behavior.madeOfConfig;

const ON_DEVICE: ReadonlySet<QuantizedWeights> = new Set(['nf4', 'nf4-dq', 'int8']);

/** Device memory of the weight. */
export function reserve(
  builder: WeightBuilder,
  format: QuantizedWeights,
  { outputs, inputs }: LinearShape,
): void {
  const layout = weightFormat(format);
  const placed = layout.parts(outputs, inputs).map((part, i) => {
    if (layout.parameters.includes(i)) return builder.reserveWeight(part);
    builder.reserve(part, WEIGHTS);
    return part;
  });
  const bytes = placed.reduce((sum, part) => sum + part, 0);
  builder.record(WEIGHTS, format, outputs * inputs, bytes);
}

/** bitsandbytes' Linear4bit: casts the input, and casts the output back; PEFT copies the output. */
function fourBitLinear(run: MemoryRun, format: QuantizedWeights, shape: LinearShape): Linear {
  const dtype = computeDtype(run);
  const isBnb = format === 'nf4' || format === 'nf4-dq';
  return (tape, input) =>
    tape.call([input], () => {
      const x = tape.name(to(tape, input, dtype));
      if (!isBnb && run.behavior.unpacksGptqInTorch) return unpackedMatmul(tape, x, shape);
      const product = dequantizedMatmul(tape, x, shape, weightFormat(format), run.behavior);
      return isBnb ? copy(tape, to(tape, product, input.dtype)) : product;
    });
}

/** The dequantized weight exists only during the product, in forward and backward; the input is not kept. */
function dequantizedMatmul(
  tape: Tape,
  x: Tensor,
  shape: LinearShape,
  format: WeightFormat,
  { keepsQuantizedInputs, unpacksToHalf }: Behavior,
): Tensor {
  const { inputs, outputs } = shape;
  const unpacked = (dtype: Element): Tensor => {
    const weight = dequantized(tape, shape, format, unpacksToHalf ? 'fp16' : dtype);
    return weight.dtype === dtype ? weight : tape.done(tape.empty(weight.elements, dtype), weight);
  };
  const node = tape.record(x);
  if (node) {
    if (keepsQuantizedInputs) node.hold(x);
    node.backward = grad => {
      const weight = unpacked(grad.dtype);
      return [tape.done(tape.empty(x.elements, grad.dtype), weight)];
    };
  }
  const weight = unpacked(x.dtype);
  notesProduct(tape, node, productOf(x, [outputs, inputs]), [x]);
  const result = tape.empty((x.elements / inputs) * outputs, x.dtype, node);
  return tape.done(result, weight, x);
}

/**
 * auto_gptq's torch path (qlinear_cuda_old.py): shifts out nibbles as int32, casts to int8, masks and scales them;
 * the product keeps the weight.
 */
function unpackedMatmul(tape: Tape, x: Tensor, { inputs, outputs }: LinearShape): Tensor {
  const elements = inputs * outputs;
  const shifted = tape.empty(elements, 'int32');
  const narrow = tape.done(tape.empty(elements, 'uint8'), shifted);
  const masked = tape.done(tape.empty(elements, 'uint8'), narrow);
  const centered = tape.done(tape.empty(elements, 'uint8'), masked);
  const weight = tape.done(tape.empty(elements, x.dtype), centered);
  return matmul(tape, x, weight, null, [outputs, inputs]);
}

/** A dequantized weight; first dequantizes its scales if they are quantized. */
export function dequantized(
  tape: Tape,
  { inputs, outputs }: LinearShape,
  format: WeightFormat,
  dtype: Element,
): Tensor {
  const elements = inputs * outputs;
  const weight = tape.empty(elements, dtype);
  const scales = format.scaleBytes(elements);
  return scales === 0 ? weight : tape.done(weight, tape.workspace(scales));
}

/**
 * bitsandbytes' Linear8bitLt (autograd/_functions.py, MatMul8bitLt): the input in fp16 and in 8 bits, the product
 * in 32 bits. The function keeps its input as an attribute, which checkpointing's hooks cannot drop. Excludes
 * outlier columns, which depend on the data.
 */
function int8Linear({ inputs, outputs }: LinearShape): Linear {
  return (tape, input) =>
    tape.call([input], () => {
      const rows = input.elements / inputs;
      const node = tape.record(input);
      if (node) {
        node.hold(input);
        node.backward = () => {
          const weight = tape.empty(inputs * outputs, input.dtype);
          return [tape.done(tape.like(input), weight)];
        };
      }
      const half = to(tape, input, 'fp16');
      const narrow = tape.name(tape.done(tape.empty(input.elements, 'uint8'), half));
      notesProduct(tape, node, productOf({ elements: input.elements, dtype: 'uint8' }, [outputs, inputs]), [
        input,
      ]);
      const product = tape.empty(rows * outputs, 'fp32');
      const result = tape.done(tape.empty(rows * outputs, 'fp16'), product);
      tape.drop(narrow);
      const cast =
        input.dtype === 'fp16' ? result : tape.done(tape.empty(rows * outputs, input.dtype), result);
      return tape.done(tape.view(cast, cast.elements, node), cast);
    });
}
