import type { Element, Node, Tensor } from './tensor';
import type { Arithmetic, Meter, ProductShape } from './meter';

/** What a meter needs of a tape. */
interface Metered {
  readonly ledger: { readonly meter: Meter; readonly muted: boolean };
}

/** Work that runs now: not what a checkpoint has kept, nor what it need not run again. */
function runs({ ledger: { meter, muted } }: Metered): boolean {
  const { isKept } = meter;
  meter.isKept = false;
  return !muted && !isKept;
}

const arithmeticOf = (dtype: Element): Arithmetic =>
  dtype === 'fp32' ? 'fp32' : dtype === 'uint8' ? 'int8' : 'half';

/** The shape of `x · Wᵀ` with a flattened input. */
export const productOf = (
  x: Pick<Tensor, 'elements' | 'dtype'>,
  [outputs = 1, inputs = 1]: readonly number[],
  groups = 1,
): ProductShape => ({
  rows: x.elements / inputs / groups,
  inputs,
  outputs,
  groups,
  arithmetic: arithmeticOf(x.dtype),
});

/** Notes a product, and those of backward: one for each of these factors that requires a gradient. */
export function notesProduct(
  tape: Metered,
  node: Node | null,
  product: ProductShape,
  factors: readonly (Pick<Tensor, 'node'> | null)[],
): void {
  if (node) {
    const gradients = factors.filter(factor => factor?.node).length;
    node.cost = { product, gradients, attentionFlops: 0 };
  }
  if (runs(tape)) tape.ledger.meter.product(product);
}

/** Backward of a fused attention kernel has five products where forward has two (FlashAttention-2, section 3.1). */
const ATTENTION_BACKWARD = 2.5;

/** Notes a fused attention kernel. */
export function notesAttention(tape: Metered, node: Node | null, shape: AttentionSizes): void {
  const { batch, heads, queries, keys, headDim } = shape;
  const flops = 4 * batch * heads * queries * keys * headDim;
  if (node) {
    node.cost = { product: null, gradients: 0, attentionFlops: flops * ATTENTION_BACKWARD };
  }
  if (runs(tape)) tape.ledger.meter.attention(flops);
}

interface AttentionSizes {
  readonly batch: number;
  readonly heads: number;
  readonly queries: number;
  readonly keys: number;
  readonly headDim: number;
}

/**
 * Notes a convolution of these factors, input first, as the product that cuDNN computes: each output position is a row, and the weights
 * of a channel are a column ("implicit GEMM", NVIDIA's guide to convolutional layers). In fp32 its arithmetic is TF32.
 */
export function notesConvolution(
  tape: Metered,
  node: Node | null,
  [rows, inputs, outputs]: readonly [rows: number, inputs: number, outputs: number],
  factors: readonly [Tensor, ...Tensor[]],
): void {
  const { dtype, elements: reads } = factors[0];
  const arithmetic = dtype === 'fp32' ? 'tf32' : 'half';
  notesProduct(tape, node, { rows, inputs, outputs, groups: 1, arithmetic, reads }, factors);
}

/** Notes one of the two products of unfused attention: one for each row and head, whose factors both have gradients. */
export function notesScores(
  tape: Metered,
  { node, dtype }: Tensor,
  { batch, heads, queries, keys, headDim }: AttentionSizes,
): void {
  const product = {
    rows: queries,
    inputs: headDim,
    outputs: keys,
    groups: batch * heads,
    arithmetic: arithmeticOf(dtype),
  };
  notesProduct(tape, node, product, [{ node }, { node }]);
}
