import type { Builder } from '../modules';
import { embedding } from '../ops/select';
import { add } from '../ops/pointwise';
import type { MemoryRun } from '../run';
import type { Tape } from '../tape';
import type { Tensor } from '../tensor';
import { contextsOf } from './contexts';
import type { ContextDesign, Contexts } from './contexts';

/** The inputs of a decoder's layers: hidden states with a separate name, masks and rotations. */
interface Prepared extends Contexts {
  readonly hidden: Tensor;
}

/** How a decoder creates positions, masks and rotations; all are named in the running function. */
export type Prepare = (tape: Tape, embedded: Tensor, padding: Tensor | null) => Prepared;

/** Creates the parameters for this, right after the word table. */
export type MakePrepare = (builder: Builder, run: MemoryRun, design: ContextDesign) => Prepare;

/** `torch.arange(tokens) + seen` */
export function arangedPositions(tape: Tape, { batch: { tokens } }: MemoryRun): Tensor {
  const range = tape.empty(tokens, 'int64');
  return tape.name(tape.done(tape.empty(tokens, 'int64'), range));
}

/** Positions rotate queries and keys in each layer. */
export const rotaryPositions: MakePrepare = (_, run, design) => (tape, embedded, padding) => {
  const positions = arangedPositions(tape, run);
  const hidden = tape.name(embedded);
  return { hidden, ...contextsOf(tape, run, design, { embedded, padding, positions }) };
};

/** A position table, whose rows are added to the words' (GPT-2). */
export const learnedPositions: MakePrepare = (builder, run, design) => {
  const { positionRows, hiddenSize } = run.model;
  const table = builder.embedding('position_embeddings', positionRows, hiddenSize);
  return (tape, embedded, padding) => {
    const positions = arangedPositions(tape, run);
    const places = tape.name(embedding(tape, table, positions));
    const hidden = tape.name(add(tape, embedded, places));
    return { hidden, ...contextsOf(tape, run, design, { embedded, padding, positions }) };
  };
};
