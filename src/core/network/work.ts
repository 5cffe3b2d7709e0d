import type { ProductOfSample } from '../models/network';
import { elementsOf } from './values';
import type { Tensor } from './values';

/** Products of matrices of a whole batch. */
export type ProductSizes = ProductOfSample & { readonly kind: 'product' };

/** What an operation computes in forward; `flops` of a fused attention kernel. */
export type Computed = ProductSizes | { readonly kind: 'attention'; readonly flops: number };

/** The same with the number of products, or convolutions, that its backward has: one for each factor with a gradient. */
export interface Work {
  readonly computed: Computed;
  readonly gradients: number;
}

const one = { kind: 'product', groups: 1, times: 1, grows: 'rows' } as const;

/** A linear layer over the last dimension of `x`. */
export function linearWork({ shape }: Tensor, outputs: number): ProductSizes {
  const inputs = shape.at(-1) ?? 1;
  return { ...one, rows: elementsOf(shape) / Math.max(1, inputs), inputs, outputs };
}

/** A recurrent layer: its inputs at once, and its state step by step. */
export function recurrentWork(
  { shape }: Tensor,
  steps: number,
  hidden: number,
  gates: number,
): readonly ProductSizes[] {
  const rows = elementsOf(shape.slice(0, -1));
  const outputs = gates * hidden;
  return [
    { ...one, rows, inputs: shape.at(-1) ?? 1, outputs },
    { ...one, rows: rows / Math.max(1, steps), inputs: hidden, outputs, times: steps },
  ];
}

/** `a @ b` over the last two dimensions. */
export function matmulWork(a: Tensor, b: Tensor, result: readonly number[]): ProductSizes {
  const inputs = a.shape.at(-1) ?? 1;
  const outputs = b.shape.length > 1 ? (b.shape.at(-1) ?? 1) : 1;
  if (b.shape.length <= 2) return linearWork(a, outputs);
  const rows = a.shape.length > 1 ? (a.shape.at(-2) ?? 1) : 1;
  const groups = elementsOf(result) / Math.max(1, rows * outputs);
  return { ...one, rows, inputs, outputs, groups, grows: 'groups' };
}

/** A convolution as a product: a row for each of its results' positions, a column for each of their channels. */
export function convolutionWork(
  weight: Tensor,
  channels: number,
  results: readonly number[],
  given: readonly number[],
): ProductSizes {
  const [rows, inputs] = [elementsOf(results) / channels, elementsOf(weight.shape) / channels];
  return { ...one, rows, inputs, outputs: channels, reads: elementsOf(given) };
}

/** Both products of attention, of all rows with all: 4 FLOPs for each pair and channel. */
export const attentionWork = (q: readonly number[], k: readonly number[], values: number): Computed => ({
  kind: 'attention',
  flops: 2 * elementsOf(q.slice(0, -1)) * (k.at(-2) ?? 1) * ((q.at(-1) ?? 1) + values),
});

/** einsum over two factors, by the names of their dimensions. */
export function einsumWork(
  [left = '', right = '']: readonly string[],
  result: string,
  sizes: ReadonlyMap<string, number>,
): ProductSizes {
  const all = (isIn: (name: string) => boolean): number =>
    [...sizes].reduce((product, [name, size]) => (isIn(name) ? product * size : product), 1);
  const has = (text: string, name: string): boolean => text.includes(name);
  const groups = all(name => has(left, name) && has(right, name) && has(result, name));
  return {
    ...one,
    groups,
    grows: groups > 1 ? 'groups' : 'rows',
    rows: all(name => has(left, name) && !has(right, name)),
    inputs: all(name => has(left, name) && has(right, name) && !has(result, name)),
    outputs: all(name => has(right, name) && !has(left, name)),
  };
}
