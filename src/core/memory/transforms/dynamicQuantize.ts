import type { LinearShape, Linear } from '../modules';
import { to } from '../ops/cast';
import { matmul } from '../ops/linear';
import { add } from '../ops/pointwise';
import type { DynamicWeights, QuantizedWeights } from '../run';
import type { Tape } from '../tape';
import type { Element, Parameter, Tensor } from '../tensor';
import { lower } from './autocast';
import { notesProduct } from '../work';

/**
 * 8-bit weights whose products are visible to torch's autograd: they receive their input unchanged, even under
 * autocast.
 */
export const isDynamic = (format: QuantizedWeights | null): format is DynamicWeights =>
  format === 'sdnq-int8' || format === 'torchao-fp8' || format === 'torchao-fp8-weight-only';

/** Layers at the ends of a network that SDNQ does not quantize (sdnq 0.2.8, common.py, common_skip_keys). */
const ENDS =
  /^(?:time_embedding|context_embedder|x_embedder|cap(?:tion)?_embedder|pos_embed|img_in|txt_in|proj_in|proj_out|norm_out)\b/;

/** torchao does not quantize layers of other sizes (SimpleTuner, _torchao_filter_fn). */
const MULTIPLE = 16;

/** True if a layer's weight has this format. */
export function quantizes(format: QuantizedWeights | null, { name, inputs, outputs }: LinearShape): boolean {
  if (format === 'sdnq-int8') return !ENDS.test(name);
  return !isDynamic(format) || (inputs % MULTIPLE === 0 && outputs % MULTIPLE === 0);
}

export function dynamicLinear(format: DynamicWeights, shape: LinearShape, bias: Parameter | null): Linear {
  if (format === 'sdnq-int8') return (tape, x) => integerProduct(tape, x, shape, bias);
  return format === 'torchao-fp8'
    ? (tape, x) => floatProduct(tape, x, shape, bias)
    : (tape, x) => dequantizedProduct(tape, x, shape, bias);
}

/**
 * sdnq 0.2.8, training/layers/linear/linear_int8/linear_int8.py, INT8MatmulBackward with a Hadamard rotation: keeps
 * only the weight. Rotates and rounds the input; in backward the weight exists in fp32, and is rounded again.
 */
function integerProduct(tape: Tape, input: Tensor, shape: LinearShape, bias: Parameter | null): Tensor {
  const { inputs, outputs } = shape;
  return tape.call([input], () => {
    const rows = input.elements / inputs;
    const node = bias ? tape.record(input, bias) : tape.record(input);
    const multiply = (x: Tensor, size: number, from: typeof node): Tensor => {
      notesProduct(tape, null, { rows, inputs, outputs, groups: 1, arithmetic: 'int8' }, []);
      const narrow = tape.empty(x.elements, 'uint8');
      const product = tape.done(tape.empty(size, 'int32'), narrow);
      return tape.done(tape.empty(size, x.dtype, from), product);
    };
    if (node) {
      node.backward = grad => {
        const weight = tape.done(tape.empty(inputs * outputs, 'uint8'), tape.empty(inputs * outputs, 'fp32'));
        const product = multiply(grad, input.elements, null);
        tape.spend(weight);
        const rotated = input.node && tape.done(tape.like(product), product);
        return bias ? [rotated, bias.node && tape.empty(outputs, grad.dtype)] : [rotated];
      };
    }
    const rotated = tape.name(tape.empty(input.elements, tape.autocast?.dtype ?? input.dtype));
    const result = multiply({ ...rotated, dtype: input.dtype }, rows * outputs, node);
    return result;
  });
}

/** One operation recorded by autograd: what it keeps, and what its derivative allocates at the input's size. */
interface Recorded {
  readonly keeps: readonly Tensor[];
  readonly dtype: Element;
  readonly gradients?: number;
}

function recorded(
  tape: Tape,
  x: Tensor,
  elements: number,
  { keeps, dtype, gradients = 1 }: Recorded,
): Tensor {
  const node = tape.record(x);
  if (node) {
    for (const kept of keeps) node.save(kept);
    node.backward = grad => {
      const spare = Array.from({ length: gradients - 1 }, () => tape.empty(x.elements, x.dtype));
      const result = gradients === 0 ? grad : tape.empty(x.elements, x.dtype);
      for (const one of spare) tape.spend(one);
      return [result];
    };
  }
  return tape.empty(elements, dtype, node);
}

/**
 * torchao 0.17, workflows/float8/float8_tensor.py, _float8_addmm_impl: scales the input by its maximum and rounds
 * it in fp32 operations that autograd records individually; the product's derivative (SimpleTuner,
 * torchao_workarounds.py, _ScaledMmInputGrad) keeps only the weight.
 */
function floatProduct(
  tape: Tape,
  input: Tensor,
  { inputs, outputs }: LinearShape,
  bias: Parameter | null,
): Tensor {
  const { dtype } = input;
  return tape.call([input], () => {
    const absolute = tape.name(
      recorded(tape, input, input.elements, { keeps: [input], dtype, gradients: 2 }),
    );
    const scale = tape.name(recorded(tape, absolute, 1, { keeps: [absolute], dtype: 'fp32', gradients: 3 }));
    const wide = tape.name(to(tape, input, 'fp32'));
    const scaled = tape.name(divided(tape, wide, scale));
    const clamped = tape.name(recorded(tape, scaled, scaled.elements, { keeps: [scaled], dtype: 'fp32' }));
    const narrow = tape.name(
      recorded(tape, clamped, clamped.elements, { keeps: [], dtype: 'uint8', gradients: 0 }),
    );
    const node = tape.record(narrow);
    if (node) {
      node.backward = grad => {
        const wideWeight = tape.empty(inputs * outputs, 'fp32');
        const weight = tape.done(tape.empty(inputs * outputs, grad.dtype), wideWeight);
        const product = tape.done(tape.empty(input.elements, grad.dtype), weight);
        return [tape.done(tape.empty(input.elements, 'fp32'), product)];
      };
    }
    const rows = input.elements / inputs;
    notesProduct(tape, node, { rows, inputs, outputs, groups: 1, arithmetic: 'fp8' }, [input]);
    const result = tape.empty((input.elements / inputs) * outputs, dtype, node);
    return bias && dtype === 'fp32' ? add(tape, result, bias) : result;
  });
}

/** x / scale keeps both; computes gradients of both. */
function divided(tape: Tape, x: Tensor, scale: Tensor): Tensor {
  const node = tape.record(x, scale);
  if (node) {
    node.save(x);
    node.save(scale);
    node.backward = () => [tape.like(x), tape.like(x)];
  }
  return tape.like(x, node);
}

/**
 * The same file, fp8 weights only: dequantizes the weight in fp32, and keeps a 16-bit copy for the input's
 * gradient.
 */
function dequantizedProduct(
  tape: Tape,
  input: Tensor,
  { inputs, outputs }: LinearShape,
  bias: Parameter | null,
): Tensor {
  return tape.call([input], () => {
    const x = tape.name(lower(tape, input));
    const wide = tape.empty(inputs * outputs, 'fp32');
    const scaled = tape.done(tape.empty(inputs * outputs, 'fp32'), wide);
    const weight = tape.done(tape.empty(inputs * outputs, x.dtype), scaled);
    const product = tape.name(matmul(tape, x, weight, null, [outputs, inputs]));
    return bias ? add(tape, product, bias) : product;
  });
}
