import { ACTIVATIONS, GRADIENTS, TEMPORARIES } from './terms';
import type { TermIndex } from './terms';
import type { Storage } from './ledger';
import type { Tape } from './tape';
import type { Leaf, Tensor } from './tensor';
import { notesBackward } from './meter';
import type { Cost } from './meter';

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

const NONE: Readonly<Gradients> = [];

/** One recorded operation. */
export class Node {
  /** Saved tensors that it currently owns. */
  saved: Kept | null = null;
  /** Tensors that are attributes of the node itself: they live as long as it does. */
  attributes: Kept | null = null;
  /** Gradients of the outputs so far, by slot. */
  grads: Readonly<Gradients> = NONE;
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

function placed(grads: Readonly<Gradients>, slot: number, grad: Tensor): Gradients {
  if (slot === 0 && grads.length < 2) return [grad];
  const all = [...grads];
  all[slot] = grad;
  return all;
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

/**
 * The graph of one forward pass. PyTorch's engine runs the ready node with the highest sequence number first
 * (torch/csrc/autograd/engine.cpp, CompareNodeTaskTime); every consumer of a tensor is younger than its producer,
 * so that is the reverse order of recording; leaves accumulate as soon as their last gradient has arrived.
 */
export class Graph {
  private readonly nodes: Node[] = [];
  private readonly held: Tensor[] = [];
  private readonly leaves: Leaf[] = [];
  private readonly outlived: Storage[] = [];

  /**
   * `consumes`: an optimizer takes each parameter's gradient as soon as it exists. `outlives`: something still names the
   * output after backward, so that the nodes live on without what they saved.
   */
  constructor(
    private readonly tape: Tape,
    private readonly consumes = false,
    private readonly outlives = false,
  ) {}

  add(node: Node): void {
    this.nodes.push(node);
    for (const { node: producer } of node.inputs) if (producer?.leaf) producer.leaf.uses += 1;
  }

  /** A tensor with the lifetime of the graph, captured by one of its functions. */
  hold(tensor: Tensor): void {
    this.held.push(this.tape.keep(tensor));
  }

  /** A leaf other than a parameter: it and its gradient have the lifetime of the graph. */
  holdLeaf(leaf: Leaf): void {
    this.hold(leaf);
    this.leaves.push(leaf);
  }

  /** Runs the graph backwards from `root` with the given gradient, and frees it. */
  backward(root: Tensor, grad: Tensor): void {
    if (root.node === null) return;
    root.node.grads = placed(NONE, root.slot, this.tape.keep(grad));
    for (let node = this.nodes.pop(); node !== undefined; node = this.nodes.pop()) {
      const first = node.grads.find(Boolean);
      if (first) this.run(node, first);
      this.forget(node);
    }
    for (const leaf of this.leaves) if (leaf.grad) this.tape.ledger.release(leaf.grad);
    if (!this.outlives) this.end();
  }

  /** Nothing names the output any longer: frees what the nodes themselves hold. */
  end(): void {
    for (const tensor of this.held.splice(0)) this.tape.release(tensor);
    for (const storage of this.outlived.splice(0)) this.tape.ledger.release(storage);
  }

  private run(node: Node, grad: Tensor): void {
    const { tape } = this;
    const { inputs, saver, grads } = node;
    saver.restore(node);
    if (node.cost) notesBackward(tape.ledger.meter, node.cost);
    const outer = tape.term;
    tape.term = node.term === ACTIVATIONS ? TEMPORARIES : node.term;
    const results = node.backward(grad, grads);
    for (const result of results) if (result) tape.keep(result);
    if (saver.unpacks) this.forget(node);
    for (let i = 0; i < inputs.length; i++) {
      const [result, input] = [results[i], inputs[i]];
      if (result && input) results[i] = this.fitted(result, input);
    }
    tape.term = outer;
    for (const one of grads) if (one) tape.release(one);
    node.grads = NONE;
    this.forget(node);
    for (let i = 0; i < inputs.length; i++) {
      const [result, input] = [results[i], inputs[i]];
      if (result && input) this.deliver(result, input);
    }
  }

  /**
   * Gradients take their input's size and dtype (engine.cpp, validate_outputs): summed over broadcast dimensions,
   * then cast.
   */
  private fitted(grad: Tensor, input: Tensor): Tensor {
    let result = grad;
    if (result.elements !== input.elements) result = this.replaced(result, input.elements, result.dtype);
    if (result.dtype !== input.dtype) result = this.replaced(result, input.elements, input.dtype);
    return result;
  }

  private replaced(grad: Tensor, elements: number, dtype: Tensor['dtype']): Tensor {
    const result = this.tape.keep(this.tape.empty(elements, dtype));
    this.tape.release(grad);
    return result;
  }

  /**
   * Passes an owned gradient to the producer of `input`, whose buffer sums arriving gradients (input_buffer.cpp).
   */
  private deliver(grad: Tensor, input: Tensor): void {
    const { tape } = this;
    const producer = input.node;
    if (producer === null) {
      tape.release(grad);
      return;
    }
    const before = producer.grads[input.slot] ?? null;
    const sum = before === null ? grad : tape.keep(tape.empty(input.elements, input.dtype));
    if (before !== null) {
      tape.release(before);
      tape.release(grad);
    }
    producer.grads = placed(producer.grads, input.slot, sum);
    if (producer.leaf) this.serve(producer, producer.leaf, sum);
  }

  /** AccumulateGrad: takes over the first gradient if nothing else holds it, and adds later ones in place. */
  private serve(node: Node, leaf: Leaf, grad: Tensor): void {
    leaf.uses -= 1;
    if (leaf.uses > 0) return;
    node.grads = NONE;
    const { ledger } = this.tape;
    if (leaf.grad !== null) {
      this.tape.release(grad);
    } else if (grad.holders > 1) {
      leaf.grad = ledger.allocate(grad.storage.bytes, GRADIENTS);
      this.tape.release(grad);
    } else {
      leaf.grad = grad.storage;
      ledger.rename(grad.storage, GRADIENTS);
    }
    leaf.arrived?.();
    if (this.consumes && 'trainable' in leaf) this.take(leaf);
  }

  private take(leaf: Leaf): void {
    if (leaf.grad) this.tape.ledger.release(leaf.grad);
    leaf.grad = null;
  }

  private forget(node: Node): void {
    for (let kept = node.saved; kept; kept = kept.next) this.tape.ledger.release(kept.storage);
    node.saved = null;
    for (let kept = node.attributes; kept; kept = kept.next) {
      if (this.outlives) this.outlived.push(kept.storage);
      else this.tape.ledger.release(kept.storage);
    }
    node.attributes = null;
    node.saver.ran(node);
  }
}
