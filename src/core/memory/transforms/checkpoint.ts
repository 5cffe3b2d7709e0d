import { Graph } from '../autograd';
import { keepInNode } from '../tensor';
import type { Node, Saver, Tensor } from '../tensor';
import type { Storage } from '../ledger';
import type { Tape } from '../tape';
import { ACTIVATIONS } from '../terms';
import { autocast } from './autocast';
import { Selection } from './selective';

type Body = (x: Tensor) => Tensor;

/** A body with several tensors: the states of an image and a text. */
export type StreamBody = (streams: readonly Tensor[]) => readonly Tensor[];

/** The inputs of `body`: its input, and the tensors that its closure captures, with the same lifetime. */
export interface Checkpointed {
  /** Selective: non-reentrant, and expensive outputs are kept. Offloaded: inputs are on the host. */
  readonly kind: 'none' | 'reentrant' | 'non-reentrant' | 'selective' | 'offloaded';
  /** Those that are there count. */
  readonly captured: readonly (Tensor | null)[];
  readonly body: Body;
}

/** torch.utils.checkpoint: keeps only the inputs of `body`, and runs it again in backward. */
export function checkpoint(tape: Tape, input: Tensor, block: Checkpointed): Tensor {
  const { kind, body } = block;
  if (kind === 'none' || tape.graph === null) return body(input);
  const isReentrant = kind === 'reentrant' || kind === 'offloaded';
  return (isReentrant ? reentrant : nonReentrant)(tape, input, block);
}

/** The graph of the second run is never run: its nodes only show what the first one's saved. */
class Unrecorded extends Graph {
  override add(): void {
    return undefined;
  }
}

/**
 * Drops saved tensors of the first run; the first one that backward needs runs `body` again, up to the last save,
 * and gives every node its tensors (torch/utils/checkpoint.py, _checkpoint_hook, early_stop).
 */
class Frame implements Saver {
  readonly unpacks = true;
  private readonly owners: Node[] = [];
  private readonly pending = new Set<Node>();
  private readonly autocastDtype: Tensor['dtype'] | null;
  private replayed = 0;
  private recomputed = false;

  /** `held`: the inputs and captured tensors; `again` runs the body again. */
  constructor(
    private readonly tape: Tape,
    private readonly held: readonly Tensor[],
    private readonly again: () => void,
  ) {
    this.autocastDtype = tape.autocast?.dtype ?? null;
    for (const tensor of held) tape.keep(tensor);
  }

  save(node: Node): void {
    this.owners.push(node);
    this.pending.add(node);
  }

  /** A body that saves nothing never runs again: its inputs are freed with the graph. */
  settle(): void {
    if (this.pending.size > 0) return;
    for (const tensor of this.held) {
      this.tape.graph?.hold(tensor);
      this.tape.release(tensor);
    }
  }

  restore(node: Node): void {
    if (this.recomputed || !this.pending.has(node)) return;
    this.recomputed = true;
    const { tape } = this;
    const { graph, saver } = tape;
    tape.graph = new Unrecorded(tape);
    tape.saver = { ...keepInNode, save: (_, storage) => this.handBack(storage) };
    const { meter } = tape.ledger;
    meter.runsAgain = true;
    tape.during(ACTIVATIONS, () => autocast(tape, this.autocastDtype, this.again));
    meter.runsAgain = false;
    tape.ledger.muted = false;
    tape.graph = graph;
    tape.saver = saver;
  }

  ran(node: Node): void {
    if (!this.pending.delete(node) || this.pending.size > 0) return;
    for (const tensor of this.held) this.tape.release(tensor);
  }

  private handBack(storage: Storage): void {
    const owner = this.owners[this.replayed];
    this.replayed += 1;
    if (owner) keepInNode.save(owner, storage);
    this.tape.ledger.muted = this.replayed >= this.owners.length;
  }
}

function nonReentrant(tape: Tape, input: Tensor, { kind, body, captured }: Checkpointed): Tensor {
  const held = [input, ...captured.filter(one => one !== null)];
  if (kind === 'selective') {
    const selection = new Selection(tape);
    const again = (): void => selection.replay(() => tape.spend(body(input)));
    return framed(tape, new Frame(tape, held, again), () => selection.record(() => body(input)));
  }
  const frame = new Frame(tape, held, () => tape.spend(body(input)));
  return framed(tape, frame, () => body(input));
}

/** The same with `use_reentrant=False` for a body with several tensors. */
export function checkpointStreams(
  tape: Tape,
  inputs: readonly Tensor[],
  captured: readonly Tensor[],
  body: StreamBody,
): readonly Tensor[] {
  if (tape.graph === null) return body(inputs);
  const frame = new Frame(tape, [...inputs, ...captured], () => {
    for (const output of body(inputs)) tape.spend(output);
  });
  return framed(tape, frame, () => body(inputs));
}

function framed<R>(tape: Tape, frame: Frame, body: () => R): R {
  const outer = tape.saver;
  tape.saver = frame;
  const output = body();
  tape.saver = outer;
  frame.settle();
  return output;
}

/**
 * `body` runs without a graph; backward runs it again with one, and then runs that graph (CheckpointFunction). Offloaded,
 * its input is on the host until then (axolotl, monkeypatch/gradient_checkpointing/offload_cpu.py,
 * CPU_Offloaded_Gradient_Checkpointer).
 */
function reentrant(tape: Tape, input: Tensor, { kind, body, captured }: Checkpointed): Tensor {
  const node = tape.record(input);
  const { graph } = tape;
  const dtype = tape.autocast?.dtype ?? null;
  tape.graph = null;
  const result = body(input);
  tape.graph = graph;
  if (node === null) return result;
  const isOffloaded = kind === 'offloaded';
  if (!isOffloaded) node.save(input);
  for (const tensor of captured) if (tensor) graph?.hold(tensor);
  node.backward = grad => {
    const back = isOffloaded ? tape.keep(tape.like(input)) : input;
    const gradient = rerun(tape, back, body, dtype, grad);
    if (isOffloaded) tape.release(back);
    return [gradient];
  };
  return tape.done(tape.view(result, result.elements, node), result);
}

function rerun(
  tape: Tape,
  input: Tensor,
  body: Body,
  dtype: Tensor['dtype'] | null,
  grad: Tensor,
): Tensor | null {
  const { graph } = tape;
  const inner = new Graph(tape);
  const detached = tape.leaf(input);
  inner.hold(detached);
  tape.graph = inner;
  const { meter } = tape.ledger;
  meter.runsAgain = true;
  const output = tape.keep(tape.during(ACTIVATIONS, () => autocast(tape, dtype, () => body(detached))));
  meter.runsAgain = false;
  tape.graph = graph;
  inner.backward(output, grad);
  tape.release(output);
  return tape.gradientOf(detached);
}
