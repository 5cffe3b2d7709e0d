import { notesBackward } from './meter';
import type { Storage } from './ledger';
import type { Recording, Tape } from './tape';
import { NO_GRADIENTS } from './tensor';
import type { Gradients, Leaf, Node, Tensor } from './tensor';
import { ACTIVATIONS, GRADIENTS, TEMPORARIES } from './terms';

function placed(grads: Readonly<Gradients>, slot: number, grad: Tensor): Gradients {
  if (slot === 0 && grads.length < 2) return [grad];
  const all = [...grads];
  all[slot] = grad;
  return all;
}

/**
 * The graph of one forward pass. PyTorch's engine runs the ready node with the highest sequence number first
 * (torch/csrc/autograd/engine.cpp, CompareNodeTaskTime); every consumer of a tensor is younger than its producer,
 * so that is the reverse order of recording; leaves accumulate as soon as their last gradient has arrived.
 */
export class Graph implements Recording {
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
    root.node.grads = placed(NO_GRADIENTS, root.slot, this.tape.keep(grad));
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
    node.grads = NO_GRADIENTS;
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
    node.grads = NO_GRADIENTS;
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
