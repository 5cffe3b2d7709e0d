import type { Node } from './autograd';
import type { Storage } from './ledger';

/** What a tensor's elements are. */
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

/** A view of a storage. What differs in shape or stride only is the same tensor here. */
export interface Tensor {
  readonly storage: Storage;
  readonly elements: number;
  readonly dtype: Element;
  /** Where its gradient goes; null when it wants none. */
  readonly node: Node | null;
  /** Which output of that operation it is. */
  readonly slot: number;
  /** How many names hold it. 0: a temporary, which dies with the operation that takes it. */
  holders: number;
  /** One pointwise kernel makes it of what is kept anyway. */
  readonly cheap?: true;
}

/** A leaf of the graph: its gradient stays until the optimizer has used it. */
export interface Leaf extends Tensor {
  /** Uses in the graph whose gradients have not arrived yet. */
  uses: number;
  grad: Storage | null;
  /** Told when the gradient is there. */
  arrived?: () => void;
}

/** A parameter of the model, and how many equal ones it stands for. */
export interface Parameter extends Leaf {
  /** `[out, in]` of a matrix, `[n]` of a vector. */
  readonly shape: readonly number[];
  readonly copies: number;
  readonly trainable: boolean;
  /** A table of rows, the embedding or a head: optimizers of matrices (Muon, GaLore) leave it to AdamW. */
  table?: true;
}

/** What two operands give: the wider floating type (torch.result_type). */
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
