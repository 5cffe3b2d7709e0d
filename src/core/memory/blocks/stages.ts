import type { MemoryRun } from '../run';
import type { Tape } from '../tape';
import type { Element, Tensor } from '../tensor';

/** This rank has the words' table: there is no pipeline, or it begins here. */
export const begins = ({ ranks: { stage } }: MemoryRun): boolean => stage?.place !== 'last';

/** This rank has the head. */
export const ends = ({ ranks: { stage } }: MemoryRun): boolean => stage?.place !== 'first';

/** What the stage before has sent: it wants a gradient, which is sent back. */
export function received(tape: Tape, elements: number, dtype: Element): Tensor {
  const sent = tape.empty(elements, dtype);
  const leaf = tape.done(tape.leaf(sent), sent);
  tape.graph?.holdLeaf(leaf);
  return leaf;
}

/** Rounds of equal layers: of a pipeline's rank those of all micro-batches under way. */
export function roundsOf<Part>(
  { ranks: { stage }, model }: MemoryRun,
  parts: readonly { readonly part: Part; readonly times: number }[],
): readonly { readonly part: Part; readonly times: number }[] {
  const more = stage ? Math.max(0, stage.alive - model.layers) : 0;
  return parts.map(({ part, times }, i) => ({ part, times: i === parts.length - 1 ? times + more : times }));
}
