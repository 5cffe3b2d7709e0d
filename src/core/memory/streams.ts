import type { Node } from './autograd';
import type { Storage } from './ledger';
import type { Tape } from './tape';
import type { Tensor } from './tensor';
import type { StreamBody } from './transforms/checkpoint';

/**
 * `Tape.repeat` for rounds that hand several tensors on, each a name of the running function: states of an image and of
 * a text that look at each other. Every stream's gradient has to reach a round from the one after it; where the last
 * round leaves one unused, it has to be its own part. `shared`: as in `Tape.repeat`.
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

/** Rebinds names to what a round has made of them; the results are held before any of the names is let go. */
function rebound(tape: Tape, names: readonly Tensor[], results: readonly Tensor[]): readonly Tensor[] {
  for (const result of results) tape.keep(result);
  const bound = results.map((result, i) => {
    const name = names[i];
    return name ? tape.rename(name, result) : result;
  });
  for (const result of results) tape.letGo(result);
  return bound;
}

/** The marks that a round leaves in the graph: backwards the youngest begins its repetition, the oldest ends it. */
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

/** The gradients that these have got so far. */
function sumsOf(tensors: readonly Tensor[]): Storage[] {
  return tensors.flatMap(({ node, slot }) => node?.grads[slot]?.storage ?? []);
}
