import type { Step } from '../modules';
import { allGather, reduceScatter } from '../ops/collective';
import type { MemoryRun } from '../run';

/*
 * Sequence parallelism beside tensor parallelism: between the layers' products each rank has its part of the tokens
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
