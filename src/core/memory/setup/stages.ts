import { profileOf } from '../frameworks/profileOf';
import type { MemoryRun, Stage } from '../run';
import type { Asker } from './asker';
import { cutsOf } from './slice';

/**
 * Ranks of a pipeline that may need most: the first, on which most micro-batches are under way, and the last, which has the
 * head (Narayanan et al. 2021, 1F1B and its interleaved form; megatron/core/pipeline_parallel/schedules.py,
 * get_pp_rank_microbatches; torch.distributed.pipelining.schedules has the same numbers). One run each; without a pipeline
 * the run itself.
 */
export function stagesOf(asker: Asker, run: MemoryRun): readonly MemoryRun[] {
  const ranks = cutsOf(asker).pipeline;
  if (ranks === 1 || run.task !== 'train') return [run];
  const chunks = asker.detail('pipelineChunks') ?? 1;
  const layers = Math.floor(run.model.layers / ranks);
  if (layers < chunks) asker.lack(`a number of layers that ${ranks * chunks} stages can share`);
  const microBatches = microBatchesOf(asker, run, ranks);
  const batch = profileOf(asker.run.framework).pipelineDividesBatch
    ? Math.ceil(run.batch / microBatches)
    : run.batch;
  return PLACES.map(place => {
    const before = place === 'first' ? ranks - 1 : 0;
    const warmUp = chunks === 1 ? before : 2 * before + (chunks - 1) * ranks;
    const underWay = Math.min(warmUp + 1, microBatches * chunks);
    const stage: Stage = { place, of: ranks, alive: Math.round((underWay * layers) / chunks) };
    return { ...run, batch, model: { ...run.model, layers }, stage };
  });
}

const PLACES = ['first', 'last'] as const;

/** Parts of a step's rows that follow one another; of a batch that is divided as many as there are ranks. */
function microBatchesOf(asker: Asker, run: MemoryRun, ranks: number): number {
  const stated = asker.detail('microBatches');
  if (stated !== null) return stated;
  if (profileOf(asker.run.framework).pipelineDividesBatch) return Math.min(ranks, run.batch);
  const rows = asker.value('globalBatchSize');
  if (rows !== null) return Math.max(1, Math.round((rows * run.contextRanks) / (run.batch * run.replicas)));
  if (run.gradAccum > 1) return run.gradAccum;
  return asker.assume(ranks, `as many micro-batches as there are stages, ${ranks}`);
}
