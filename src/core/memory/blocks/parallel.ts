import type { Step } from '../modules';
import { allGather, reduceScatter } from '../ops/collective';
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

/*
 * Sequence parallelism in addition to tensor parallelism: between the layers' products each rank has its part of the tokens
 * (Korthikanti et al. 2022, §4.2.2; torchtitan, models/llama3/infra/parallelize.py, apply_tp).
 */

/** A norm over this rank's tokens, of which the products that follow take all. */
export function thenGathered({ ranks: { sequence: sequenceRanks = 1 } }: MemoryRun, norm: Step): Step {
  return sequenceRanks === 1 ? norm : (tape, x) => allGather(tape, norm(tape, x), sequenceRanks);
}

/** What a product has made of all tokens, summed up: each rank keeps its own. */
export function scattered(
  { ranks: { sequence: sequenceRanks = 1 } }: MemoryRun,
  step: Step | undefined,
): Step | undefined {
  if (sequenceRanks === 1) return step;
  return (tape, x) => {
    const own = reduceScatter(tape, x, sequenceRanks);
    return step ? step(tape, own) : own;
  };
}
