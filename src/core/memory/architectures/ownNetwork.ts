import type { NetworkPart, NetworkWork } from '../../models/network';
import type { ProductShape } from '../meter';
import type { Architecture, Model } from '../architecture';
import type { Builder, Step } from '../modules';
import { mean } from '../ops/pointwise';
import type { MemoryRun } from '../run';
import type { Tape } from '../tape';
import { bytesPer } from '../tensor';
import type { Parameter, Tensor } from '../tensor';
import { LOGITS } from '../terms';

/** Bytes of fp32, in which parts state what they keep without autocast. */
const WIDE = 4;

/** A project's own network, part by part: its parameters, and what its pass keeps of each. */
function build(builder: Builder, { model, batch: { rows } }: MemoryRun): Model {
  const { parts = [], outputs = 1 } = model.network ?? {};
  const steps = parts.map(part => buildPart(builder, part, rows));
  return (tape, { inputIds }) => {
    const result = tape.call([inputIds], () => {
      const [first, ...others] = steps;
      return first
        ? tape.through(
            tape.name(first(tape, inputIds)),
            others.map(step => x => step(tape, x)),
          )
        : inputIds;
    });
    return tape.during(LOGITS, () => lossOf(tape, result, outputs * rows));
  };
}

function buildPart(builder: Builder, part: NetworkPart, rows: number): Step {
  const { trained, frozen, kept, largest, work } = part;
  const parameters = trained.map(shape => builder.kernel(shape));
  builder.frozen(() => {
    for (const shape of frozen) builder.kernel(shape);
  });
  return (tape, x) => {
    const node = tape.record(x, ...parameters);
    const width = bytesPer(x.dtype);
    const { meter } = tape.ledger;
    // What is allocated here stands for many results, which are counted apart.
    meter.times = 0;
    const bytes = tape.autocast === null ? (kept.full * width) / WIDE : kept.mixed;
    const held = tape.workspace(bytes * rows);
    // A result and what it is made of live at once.
    const passing = (): Tensor =>
      tape.workspace(largest * rows * (tape.autocast === null ? width : WIDE / 2));
    for (const one of [passing(), passing()]) tape.spend(one);
    if (node) {
      node.save(held);
      node.backward = () => {
        meter.times = 0;
        for (const one of [passing(), passing()]) tape.spend(one);
        meter.times = 1;
        noteWork(tape, work, { rows, width, way: 'backward' });
        return [x.node && tape.like(x), ...parameters.map(of => gradient(tape, of))];
      };
    }
    tape.spend(held);
    const result = tape.done(tape.empty(1, x.dtype, node), x);
    meter.times = 1;
    noteWork(tape, work, { rows, width, way: 'forward' });
    return result;
  };
}

/** A pass over so many samples, of results with so many bytes where nothing is cast. */
interface Passing {
  readonly rows: number;
  readonly width: number;
  readonly way: 'forward' | 'backward';
}

/** Notes what a pass over `rows` computes. Backward writes a gradient for each result. */
function noteWork(tape: Tape, work: NetworkWork, { rows, width, way }: Passing): void {
  if (tape.ledger.muted) return;
  const { meter } = tape.ledger;
  const arithmetic = tape.autocast === null && width === WIDE ? 'fp32' : 'half';
  for (const { gradients, times, grows, reads, ...sizes } of work.products) {
    const sized = { ...sizes, [grows]: sizes[grows] * rows, arithmetic } as const;
    const product = reads === undefined ? sized : { ...sized, ...windowed(reads * rows, arithmetic) };
    const again = way === 'forward' ? 1 : gradients;
    if (again > 0) meter.product(product, times * again);
  }
  meter.attention(work.attention[way] * rows);
  if (work.kernels === 0) return;
  meter.times = work.kernels;
  const bytes = tape.autocast === null ? (work.written.full * width) / WIDE : work.written.mixed;
  meter.wrote((bytes * rows) / work.kernels);
  meter.times = 1;
}

/** A convolution shares what it reads among its rows, and computes fp32 in TF32. */
const windowed = (
  reads: number,
  arithmetic: 'fp32' | 'half',
): Pick<ProductShape, 'reads' | 'arithmetic'> => ({
  reads,
  arithmetic: arithmetic === 'fp32' ? 'tf32' : arithmetic,
});

const gradient = (tape: Tape, of: Parameter): Tensor | null => of.node && tape.like(of);

/** A loss in fp32 over the outputs: a copy of them, and its gradient. */
function lossOf(tape: Tape, result: Tensor, outputs: number): Tensor {
  for (const one of [tape.empty(outputs, 'fp32'), tape.empty(outputs, 'fp32')]) tape.spend(one);
  return mean(tape, result, 1);
}

/** A network that a program builds of torch's layers. */
export const ownNetwork: Architecture = {
  modelTypes: ['own_network'],
  source: 'its own code, run on shapes',
  samples: 'network',
  checkpoints: 'ignored',
  heads: ['image-classification'],
  build,
};
