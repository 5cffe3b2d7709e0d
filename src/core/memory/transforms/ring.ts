import type { MemoryRun } from '../run';
import { bytesPer } from '../tensor';

/**
 * Under context parallelism a layer gets keys and values of the whole row into one buffer (torch 2.15,
 * distributed/tensor/experimental/_context_parallel/_attention.py, _AllGatherRotater).
 */
export function ringBytes({
  ranks: { context: contextRanks },
  batch: { rows: batch, tokens },
  model,
  numbers: { autocast, weightDtype },
}: MemoryRun): number {
  const each = 2 * model.kvHeads * model.headDim * bytesPer(autocast ?? weightDtype);
  return batch * tokens * contextRanks * each;
}
