import type { Node, Tensor } from './tensor';
import type { Storage } from './ledger';
import type { Tape } from './tape';
import type { StreamBody } from './transforms/checkpoint';

/**
 * `Tape.repeat` for rounds that pass on several tensors, each a name of the running function: an image's and a
 * text's states that attend to each other. Every stream's gradient must reach a round from the next one; if the
 * last round leaves one unused, it must be a separate part. `shared`: as in `Tape.repeat`.
 */
export function repeatStreams(
  tape: Tape,
  times: number,
  streams: readonly Tensor[],
  round: StreamBody,
  shared: readonly Tensor[] = [],
): readonly Tensor[] {
  if (times === 1) return rebound(tape, streams, round(streams));
  const { ledger } = tape;
  ledger.begin(times);
  const marks = new Marks(tape, times, shared);
  const entered = streams.map(stream => marks.enter(stream));
  const results = rebound(tape, entered, round(entered));
  const outputs = results.map(result => marks.leave(result));
  ledger.end(storagesOf(streams), storagesOf(outputs));
  marks.outputs = storagesOf(outputs);
  return outputs;
}

const storagesOf = (tensors: readonly Tensor[]): readonly Storage[] => tensors.map(({ storage }) => storage);

/** Rebinds names to a round's results; the results are held before any name is released. */
function rebound(tape: Tape, names: readonly Tensor[], results: readonly Tensor[]): readonly Tensor[] {
  for (const result of results) tape.keep(result);
  const bound = results.map((result, i) => {
    const name = names[i];
    return name ? tape.rename(name, result) : result;
  });
  for (const result of results) tape.release(result);
  return bound;
}

/** The marks of a round in the graph: in backward the youngest begins the repetition, the oldest ends it. */
class Marks {
  outputs: readonly Storage[] = [];
  private readonly inputs: Storage[] = [];
  private readonly entries: Node[] = [];
  private readonly exits: Node[] = [];
  private readonly arriving: Storage[] = [];
  private readonly departing: Storage[] = [];

  constructor(
    private readonly tape: Tape,
    private readonly times: number,
    private readonly shared: readonly Tensor[],
  ) {}

  enter(input: Tensor): Tensor {
    const node = this.tape.record(input);
    this.inputs.push(input.storage);
    if (node) {
      this.entries.push(node);
      node.backward = grad => {
        this.departing.push(grad.storage);
        if (node === this.entries[0]) this.end();
        return [grad];
      };
    }
    return this.tape.rename(input, this.tape.view(input, input.elements, node));
  }

  leave(result: Tensor): Tensor {
    const node = this.tape.record(result);
    if (node) {
      this.exits.push(node);
      node.backward = grad => {
        if (node === this.exits.at(-1)) this.begin();
        return [grad];
      };
    }
    return this.tape.rename(result, this.tape.view(result, result.elements, node));
  }

  private begin(): void {
    for (const { grads } of this.exits) for (const grad of grads) if (grad) this.arriving.push(grad.storage);
    this.arriving.push(...sumsOf(this.shared));
    this.tape.ledger.begin(this.times);
  }

  private end(): void {
    const kept = this.inputs.filter(({ owners, lasting }) => owners > 0 && lasting !== true);
    const given = kept.length > 0 ? this.outputs : [];
    this.tape.ledger.end([...this.arriving, ...given], [...this.departing, ...sumsOf(this.shared), ...kept]);
  }
}

/** The accumulated gradients of these tensors. */
function sumsOf(tensors: readonly Tensor[]): Storage[] {
  return tensors.flatMap(({ node, slot }) => node?.grads[slot]?.storage ?? []);
}
