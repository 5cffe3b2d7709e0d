import type { Storage } from './ledger';
import type { Cost } from './meter';
import type { TermIndex } from './terms';

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

/** Owner of a node's saved tensors: the node itself, or a checkpoint that recomputes them. */
export interface Saver {
  save(node: Node, storage: Storage): void;
  /** Called before the node's backward: its saved tensors must exist. */
  restore(node: Node): void;
  /** Called after the node has run; its saved tensors are freed. */
  ran(node: Node): void;
  /** Unpacked tensors die with the derivative's locals, before its results are checked. */
  readonly unpacks: boolean;
}

/** Gradients by position; null if there is none. */
export type Gradients = (Tensor | null)[];

/** A list of a node's owned items; optimized because most of the many nodes own few. */
interface Kept {
  readonly storage: Storage;
  readonly next: Kept | null;
}

export const NO_GRADIENTS: Readonly<Gradients> = [];

/** One recorded operation. */
export class Node {
  /** Saved tensors that it currently owns. */
  saved: Kept | null = null;
  /** Tensors that are attributes of the node itself: they live as long as it does. */
  attributes: Kept | null = null;
  /** Gradients of the outputs so far, by slot. */
  grads: Readonly<Gradients> = NO_GRADIENTS;
  /** The leaf that accumulates the gradient; null for an operation. */
  leaf: Leaf | null = null;
  /** The work of its backward in addition to what it allocates; null: none. */
  cost: Cost | null = null;
  /**
   * Computes the inputs' gradients, in order, from the outputs' gradients; null if not needed. Most operations have
   * one output: `grad` is the first existing gradient, `grads` has all of them by slot.
   */
  backward: (grad: Tensor, grads: Readonly<Gradients>) => Gradients = () => [];

  constructor(
    readonly inputs: readonly Tensor[],
    readonly saver: Saver,
    readonly term: TermIndex,
  ) {}

  /** Saves a tensor for the backward pass. */
  save(tensor: Tensor): void {
    this.saver.save(this, tensor.storage);
  }

  /** Keeps a tensor as an attribute, which a checkpoint cannot drop. */
  hold(tensor: Tensor): void {
    tensor.storage.owners += 1;
    this.attributes = { storage: tensor.storage, next: this.attributes };
  }
}

/** What a node has for its backward, the last that was saved first. */
export function savedIn({ saved }: Node): readonly Storage[] {
  const storages: Storage[] = [];
  for (let each = saved; each !== null; each = each.next) storages.push(each.storage);
  return storages;
}

/** Keeps saved tensors in their nodes, as autograd does by default. */
export const keepInNode: Saver = {
  unpacks: false,
  save(node, storage) {
    storage.owners += 1;
    node.saved = { storage, next: node.saved };
  },
  restore: () => undefined,
  ran: () => undefined,
};

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
