import type { ModelFacts } from '../../models/model';
import type { Asker } from './asker';
import { isInference } from './task';

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

const USUAL_LENGTH = 2048;

/**
 * Rows that nothing cuts are as long as the longest sample of a batch, which only the data know: an estimate for rows of
 * a length that is common, with no verdict on it. True where that had to be done.
 */
export function supposeLength(asker: Asker, model: ModelFacts | null): boolean {
  const isUncut = asker.detail('unlimitedLength') === true && asker.unknown('seqLen') && !isInference(asker);
  if (!isUncut) return false;
  const tokens = Math.min(model?.maxPositions ?? USUAL_LENGTH, USUAL_LENGTH);
  asker.suppose(
    'seqLen',
    tokens,
    `rows of ${tokens} tokens: nothing limits them, the longest sample decides`,
  );
  return true;
}
