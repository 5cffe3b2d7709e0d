import { bytesPer, keepInNode, Node } from './tensor';
import type { Element, Leaf, Saver, Tensor } from './tensor';
import { ACTIVATIONS, TEMPORARIES } from './terms';
import type { TermIndex } from './terms';
import { Ledger } from './ledger';
import type { Storage } from './ledger';

const wantsGradient = ({ node }: Tensor): boolean => node !== null;

/** The accumulated gradients of these tensors. */
function sumsOf(tensors: readonly Tensor[]): Storage[] {
  return tensors.flatMap(({ node, slot }) => node?.grads[slot]?.storage ?? []);
}

/** `torch.autocast`: matrix products in 16 bits; casts of trainable fp32 weights are cached until it ends. */
interface Autocast {
  readonly dtype: Element;
  readonly casts: Map<Tensor, Tensor>;
}

/** Operations that are expensive to recompute. */
export type Costly = 'product' | 'attention' | 'reduce-scatter';

/** Creates the output of such an operation. */
export type MakeOutput = (kind: Costly, elements: number, dtype: Element, node: Node | null) => Tensor;

type Result = Tensor | readonly Tensor[];

function hold(result: Result, by: 1 | -1): void {
  if ('holders' in result) result.holders += by;
  else for (const tensor of result) tensor.holders += by;
}

/** Records the operations of a forward pass, and runs them backwards. */
export interface Recording {
  add(node: Node): void;
  /** A tensor with the lifetime of the recording. */
  hold(tensor: Tensor): void;
  /** A leaf other than a parameter: it and its gradient have the lifetime of the recording. */
  holdLeaf(leaf: Leaf): void;
  backward(root: Tensor, grad: Tensor): void;
  end(): void;
}

/** The input from a layer; elements are those of all rows. */
export interface LayerInput {
  /** Keys or values of this forward pass, and the number of tokens per row. */
  readonly x: Tensor;
  readonly tokens: number;
  readonly dtype: Element;
  /** Tokens that a layer looks back at; null: all. */
  readonly window: number | null;
}

/** Keys and values that outlive forward passes. */
export interface LayerCache {
  /** The next pass stands for all that have grown the cache to this many tokens. */
  fill(tape: Tape, tokens: number): void;
  /** The next pass adds tokens. */
  step(): void;
  /** Ends a pass. */
  settle(tape: Tape): void;
  /** Frees the cache. */
  drop(tape: Tape): void;
  /** The keys or values that attention sees: all so far. */
  update(tape: Tape, input: LayerInput): Tensor;
}

/**
 * Runs a model's code symbolically: operations allocate, keep and free what PyTorch's eager mode does. Lifetimes
 * are Python's: an operation's result is a temporary until a name holds it; a temporary dies with the operation
 * that takes it as an argument, a name with its function.
 */
export class Tape {
  /** The term of new tensors. */
  term: TermIndex = ACTIVATIONS;
  /** Records operations; null if gradients are off. */
  graph: Recording | null = null;
  saver: Saver = keepInNode;
  autocast: Autocast | null = null;
  /** Creates outputs of expensive operations under selective checkpointing; null: the default. */
  makeOutput: MakeOutput | null = null;
  /** Layers are compiled: results that are cheap to recompute from kept tensors are not kept. */
  compiled = false;
  /** Convolutions use workspaces. */
  usesCudnn = false;
  /** Convolutions copy their input into another layout. */
  copiesInputs = false;
  /** relu keeps its input instead of its result. */
  reluKeepsInput = false;
  /** softmax and log_softmax also keep their input. */
  softmaxKeepsInput = false;
  /** The KV cache for generation; null: none. */
  cache: LayerCache | null = null;

  /** Tensors that a trainer keeps a name for until a step has its loss. */
  readonly untilLoss: Tensor[] = [];

  /** Modules are in evaluation mode: no dropout. */
  evaluates = false;

  private readonly names: Tensor[] = [];

  constructor(readonly ledger = new Ledger()) {}

  /** A new tensor, as torch.empty: a temporary. */
  empty(elements: number, dtype: Element, node: Node | null = null, slot = 0): Tensor {
    const storage = this.ledger.allocate(elements * bytesPer(dtype), this.term);
    return { storage, elements, dtype, node, slot, holders: 0 };
  }

  /** The output of an operation that selective checkpointing may keep. */
  output(kind: Costly, elements: number, dtype: Element, node: Node | null): Tensor {
    return this.makeOutput?.(kind, elements, dtype, node) ?? this.empty(elements, dtype, node);
  }

  like(tensor: Tensor, node: Node | null = null): Tensor {
    return this.empty(tensor.elements, tensor.dtype, node);
  }

  /** A view of (a part of) a tensor: another owner of its storage. */
  view(tensor: Tensor, elements: number, node: Node | null = null, slot = 0): Tensor {
    tensor.storage.owners += 1;
    return { storage: tensor.storage, elements, dtype: tensor.dtype, node, slot, holders: 0 };
  }

  /** Records an operation on these inputs; null if no gradient is needed. */
  record(...inputs: Tensor[]): Node | null {
    if (this.graph === null || !inputs.some(wantsGradient)) return null;
    const node = new Node(inputs, this.saver, this.term);
    this.graph.add(node);
    return node;
  }

  /** Ends an operation: temporaries among its arguments die. */
  done<T extends Tensor>(result: T, ...inputs: Tensor[]): T {
    for (const input of inputs) this.spend(input);
    return result;
  }

  /** Frees a tensor without names. */
  spend(tensor: Tensor): void {
    if (tensor.holders === 0) this.ledger.release(tensor.storage);
  }

  keep(tensor: Tensor): Tensor {
    tensor.holders += 1;
    return tensor;
  }

  release(tensor: Tensor): void {
    tensor.holders -= 1;
    this.spend(tensor);
  }

  /** Binds a name of the running function to a tensor. */
  name(tensor: Tensor): Tensor {
    this.names.push(tensor);
    return this.keep(tensor);
  }

  /** Binds the name of `old` to `tensor`. */
  rename(old: Tensor, tensor: Tensor): Tensor {
    this.names[this.names.lastIndexOf(old)] = this.keep(tensor);
    this.release(old);
    return tensor;
  }

  /** Unbinds a name: `del`. */
  drop(tensor: Tensor): void {
    this.names.splice(this.names.lastIndexOf(tensor), 1);
    this.release(tensor);
  }

  /** Calls a function: the arguments live until it returns, its names die then, its results become temporaries. */
  call<R extends Result>(args: readonly Tensor[], body: () => R): R {
    const mark = this.names.length;
    for (const argument of args) this.name(argument);
    const result = body();
    hold(result, 1);
    while (this.names.length > mark) {
      const name = this.names.pop();
      if (name) this.release(name);
    }
    hold(result, -1);
    return result;
  }

  /** Workspace of a kernel; the operation frees it. */
  workspace(bytes: number): Tensor {
    return this.empty(bytes, 'uint8');
  }

  /** Runs `body` with another term for allocations. */
  during<R>(term: TermIndex, body: () => R): R {
    const outer = this.term;
    this.term = term;
    const result = body();
    this.term = outer;
    return result;
  }

  /** A tensor that requires a gradient and has no history: `detach().requires_grad_()`. */
  leaf(tensor: Tensor): Leaf {
    tensor.storage.owners += 1;
    const { storage, elements, dtype } = tensor;
    const node = new Node([], keepInNode, this.term);
    const leaf: Leaf = { storage, elements, dtype, node, slot: 0, holders: 0, uses: 0, grad: null };
    node.leaf = leaf;
    return leaf;
  }

  /** A leaf's gradient so far, as a temporary. */
  gradientOf(leaf: Leaf): Tensor | null {
    const { grad } = leaf;
    if (grad === null) return null;
    leaf.grad = null;
    this.ledger.rename(grad, TEMPORARIES);
    return { storage: grad, elements: leaf.elements, dtype: leaf.dtype, node: null, slot: 0, holders: 0 };
  }

  /** Rebinds the name `input` to the result of the steps in sequence. */
  through(input: Tensor, steps: readonly ((x: Tensor) => Tensor)[]): Tensor {
    return steps.reduce((x, step) => this.rename(x, step(x)), input);
  }

  /**
   * The same, `times` over. One round runs and stands for all: in forward here, and in backward between its two
   * marks in the graph. `shared`: tensors that every round uses in addition to its input, whose gradients
   * accumulate from round to round; an operation before the first backward round must have begun them. `computed`: rounds
   * whose work counts; the others only hold memory, as micro-batches in flight do.
   */
  repeat(
    times: number,
    input: Tensor,
    steps: readonly ((x: Tensor) => Tensor)[],
    shared: readonly Tensor[] = [],
    computed = times,
  ): Tensor {
    if (times === 1) return this.through(input, steps);
    const { ledger } = this;
    let arriving: readonly Storage[] = [];
    ledger.begin(times, computed);
    const entry = this.record(input);
    const entered = this.rename(input, this.view(input, input.elements, entry));
    const result = this.through(entered, steps);
    const exit = this.record(result);
    const output = this.rename(result, this.view(result, result.elements, exit));
    ledger.end([input.storage], [output.storage]);
    if (exit) {
      exit.backward = grad => {
        arriving = [grad.storage, ...sumsOf(shared)];
        ledger.begin(times, computed);
        return [grad];
      };
    }
    if (entry) {
      entry.backward = grad => {
        // The part of the input that a block before this one keeps: later rounds free theirs as this one freed its
        // output.
        const isLeft = input.storage.owners > 0 && input.storage.lasting !== true;
        const [given, left] = isLeft ? [[output.storage], [input.storage]] : [[], []];
        ledger.end([...arriving, ...given], [grad.storage, ...sumsOf(shared), ...left]);
        return [grad];
      };
    }
    return output;
  }
}
