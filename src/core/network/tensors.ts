import { elementsOf, numberOf, raise } from './values';
import type { Trace } from './trace';
import type { Tensor, Value } from './values';
import { matmulWork } from './work';
import type { Computed } from './work';

/** The shape of an operation over tensors of these shapes. */
export function broadcast(shapes: readonly (readonly number[])[]): readonly number[] {
  const rank = Math.max(0, ...shapes.map(({ length }) => length));
  return Array.from({ length: rank }, (_, at) => {
    const sizes = shapes.map(shape => shape[at - rank + shape.length] ?? 1);
    const most = Math.max(...sizes);
    if (sizes.some(size => size !== 1 && size !== most)) raise('shapes do not fit each other');
    return sizes.includes(0) ? 0 : most;
  });
}

/** What an elementwise operation keeps for backward. */
export type Keeps = 'none' | 'keep' | 'result' | 'product';

/** torch's derivatives.yaml: `keep`: its input, `result`: its result, `product`: each factor whose other one needs a gradient. */
export function elementwise(trace: Trace, keeps: Keeps, tensors: readonly Tensor[]): Tensor {
  const shape = broadcast(tensors.map(one => one.shape));
  const result = trace.result(shape, tensors);
  if (!result.grad) return result;
  const [a, b] = tensors;
  if (keeps === 'keep' && a) trace.keep(a);
  if (keeps === 'result') trace.keep(result);
  if (keeps === 'product' && a && b) {
    if (trace.trains(b)) trace.keep(a);
    if (trace.trains(a)) trace.keep(b);
  }
  return result;
}

/** A matrix product: keeps both factors, under autocast in 16 bits. */
export function matmul(trace: Trace, a: Tensor, b: Tensor): Tensor {
  const inner = a.shape.at(-1) ?? 0;
  const rows = b.shape.length > 1 ? b.shape.at(-2) : b.shape[0];
  if (inner !== rows) raise('a matrix product of other sizes');
  const batch = broadcast([a.shape.slice(0, -2), b.shape.slice(0, -2)]);
  const left = a.shape.length > 1 ? [a.shape.at(-2) ?? 0] : [];
  const right = b.shape.length > 1 ? [b.shape.at(-1) ?? 0] : [];
  const shape = [...batch, ...left, ...right];
  return product(trace, [a, b], shape, matmulWork(a, b, shape));
}

/** Keeps its factors under autocast in 16 bits, in which the result is too. */
export function product(
  trace: Trace,
  factors: readonly Tensor[],
  shape: readonly number[],
  computed: Computed,
): Tensor {
  trace.compute([computed], factors);
  const result = trace.result(shape, factors, true);
  if (!result.grad) return result;
  for (const factor of factors) {
    if (factors.some(other => other !== factor && trace.trains(other))) trace.keep(factor, 'low');
  }
  return result;
}

/** softmax and losses: in fp32 under autocast; keep their result. */
export function wideResult(trace: Trace, x: Tensor): Tensor {
  const result = trace.result(x.shape, [x], false);
  if (result.grad) trace.keep(result);
  return result;
}

/** Keeps its input, in fp32 under autocast: norms. */
export function normed(trace: Trace, x: Tensor, isTrained: boolean): Tensor {
  const result = { ...trace.result(x.shape, [x], false), grad: trace.records && (x.grad || isTrained) };
  if (result.grad) trace.keep(x, 'wide');
  return result;
}

/** A reshape with at most one -1. */
export function reshape(trace: Trace, x: Tensor, sizes: readonly Value[]): Tensor {
  const wanted = sizes.map(size => numberOf(size, 'a size of view'));
  const all = elementsOf(x.shape);
  const known = wanted.filter(size => size >= 0).reduce((product, size) => product * size, 1);
  const shape = wanted.map(size => (size < 0 ? all / known : size));
  if (elementsOf(shape) !== all || !shape.every(Number.isInteger)) raise('a view of another size');
  return trace.view(x, shape);
}

/** A dimension from the front. */
export function dimension(value: Value, rank: number): number {
  const at = numberOf(value, 'a dimension');
  const found = at < 0 ? at + rank : at;
  if (found < 0 || found >= Math.max(rank, 1)) raise('a dimension that is not there');
  return found;
}

/** Reduces over dimensions; null: over all. */
export function reduced(x: Tensor, dims: Value, keeps: boolean): readonly number[] {
  if (dims === null) return keeps ? x.shape.map(() => 1) : [];
  const gone = (Array.isArray(dims) ? dims : [dims]).map(one => dimension(one, x.shape.length));
  if (keeps) return x.shape.map((size, at) => (gone.includes(at) ? 1 : size));
  return x.shape.filter((_, at) => !gone.includes(at));
}

/** Parts along a dimension: views of the whole. */
export function parts(trace: Trace, x: Tensor, at: number, sizes: readonly number[]): Value[] {
  return sizes.map(size => trace.view(x, x.shape.with(at, size)));
}

export function concatenated(trace: Trace, tensors: readonly Tensor[], dim: Value): Tensor {
  const filled = tensors.filter(({ shape }) => shape.length > 1 || (shape[0] ?? 1) > 0);
  const [first] = filled;
  if (!first) return raise('nothing to concatenate');
  const at = dimension(dim, first.shape.length);
  for (const { shape } of filled) {
    if (shape.length !== first.shape.length || shape.some((size, d) => d !== at && size !== first.shape[d])) {
      raise('a concatenation of other sizes');
    }
  }
  const size = filled.reduce((sum, { shape }) => sum + (shape[at] ?? 0), 0);
  return trace.result(first.shape.with(at, size), filled);
}
