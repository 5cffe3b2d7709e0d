import type { Asker } from './asker';
import type { BatchShape } from './batch';

/** Rows of a batch of evaluation: 0 where nothing is evaluated, null where nobody knows. */
export function evaluationBatchOf(asker: Asker, { batch }: BatchShape): number | null {
  const evaluates = asker.detail('evaluates');
  if (evaluates !== true) return evaluates === null ? null : 0;
  const rows = asker.value('evalBatchSize');
  const trained = asker.value('microBatchSize');
  if (rows === null || trained === null || trained === 0) return null;
  return Math.ceil((batch / trained) * rows);
}
