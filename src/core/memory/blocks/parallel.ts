import type { Step } from '../modules';
import { allGather, reduceScatter } from '../ops/collective';
import type { MemoryRun } from '../run';
import type { Tape } from '../tape';
import type { Element, Tensor } from '../tensor';

/** True if this rank has the word table: there is no pipeline, or this is the first stage. */
export const begins = ({ ranks: { stage } }: MemoryRun): boolean => stage?.place !== 'last';

/** True if this rank has the head. */
export const ends = ({ ranks: { stage } }: MemoryRun): boolean => stage?.place !== 'first';

/** The output of the previous stage; it requires a gradient, which is sent back. */
export function received(tape: Tape, elements: number, dtype: Element): Tensor {
  const sent = tape.empty(elements, dtype);
  const leaf = tape.done(tape.leaf(sent), sent);
  tape.graph?.holdLeaf(leaf);
  return leaf;
}

/** Rounds of equal layers; `computed`: those of one micro-batch. */
interface Round<Part> {
  readonly part: Part;
  readonly times: number;
  readonly computed: number;
}

/** Rounds of equal layers: on a pipeline rank, those of all micro-batches in flight. */
export function roundsOf<Part>(
  { ranks: { stage }, model }: MemoryRun,
  parts: readonly { readonly part: Part; readonly times: number }[],
): readonly Round<Part>[] {
  const more = stage ? Math.max(0, stage.alive - model.layers) : 0;
  return parts.map(({ part, times }, i) => ({
    part,
    times: i === parts.length - 1 ? times + more : times,
    computed: times,
  }));
}

/*
 * Sequence parallelism in addition to tensor parallelism: between the layers' products each rank has its part of
 * the tokens (Korthikanti et al. 2022, §4.2.2; torchtitan, models/llama3/infra/parallelize.py, apply_tp).
 */

/** A norm over this rank's tokens; the products after it use all tokens. */
export function thenGathered({ ranks: { sequence: sequenceRanks = 1 } }: MemoryRun, norm: Step): Step {
  return sequenceRanks === 1 ? norm : (tape, x) => allGather(tape, norm(tape, x), sequenceRanks);
}

/** The reduced output of a product over all tokens: each rank keeps its own part. */
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
