import type { Node } from './autograd';
import type { Storage } from './ledger';

/** Dtype of a tensor's elements. */
export type Element = 'fp32' | 'bf16' | 'fp16' | 'int64' | 'int32' | 'uint8' | 'bool';

const BYTES: Readonly<Record<Element, number>> = {
  fp32: 4,
  bf16: 2,
  fp16: 2,
  int64: 8,
  int32: 4,
  uint8: 1,
  bool: 1,
};

export function bytesPer(element: Element): number {
  return BYTES[element];
}

/** A view of a storage. Tensors that differ only in shape or stride are the same here. */
export interface Tensor {
  readonly storage: Storage;
  readonly elements: number;
  readonly dtype: Element;
  /** The destination of its gradient; null: no gradient needed. */
  readonly node: Node | null;
  /** Index among the outputs of that operation. */
  readonly slot: number;
  /** Number of names that hold it. 0: a temporary, which dies with the operation that takes it. */
  holders: number;
  /** A single pointwise kernel can recompute it from kept tensors. */
  readonly cheap?: true;
}

/** A leaf of the graph: its gradient stays until the optimizer has used it. */
export interface Leaf extends Tensor {
  /** Uses in the graph whose gradients are still missing. */
  uses: number;
  grad: Storage | null;
  /** Called when the gradient is complete. */
  arrived?: () => void;
}

/** A parameter of the model, and the number of equal ones it stands for. */
export interface Parameter extends Leaf {
  /** `[out, in]` for a matrix, `[n]` for a vector. */
  readonly shape: readonly number[];
  readonly copies: number;
  readonly trainable: boolean;
  /** A table of rows, the embedding or a head: matrix optimizers (Muon, GaLore) leave it to AdamW. */
  table?: true;
}

/** The result dtype of two operands: the wider floating type (torch.result_type). */
export function promoted(a: Tensor, b: Tensor): Element {
  if (a.dtype === b.dtype) return a.dtype;
  return isHalf(a.dtype) && b.dtype !== 'fp32' && !isHalf(b.dtype)
    ? a.dtype
    : isHalf(b.dtype) && a.dtype !== 'fp32' && !isHalf(a.dtype)
      ? b.dtype
      : 'fp32';
}

export function isHalf(element: Element): boolean {
  return element === 'bf16' || element === 'fp16';
}
