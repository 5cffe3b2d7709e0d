import type { Asker } from './asker';

/**
 * A batch that is stated for all GPUs together, where the config does not say how many there are: one GPU's share of it,
 * with as many as the estimate is made for.
 */
export function supposeShare(asker: Asker, replicas: number): void {
  const { globalBatchSize } = asker.run.quantities;
  const total = globalBatchSize.value;
  if (total === null || !asker.unknown('microBatchSize') || asker.value('gradAccum') !== 1) return;
  const share = total / replicas;
  if (!Number.isInteger(share) || (globalBatchSize.unit ?? 'samples') !== 'samples') return;
  asker.suppose('microBatchSize', share, `${share} of the batch of ${total} on each GPU`);
}
