import type { RunQuestions } from './questions';
import type { Head } from '../../spec/values';
import type { MemoryRun } from '../run';
import type { BatchShape } from './batch';
import { isInference } from './task';

/** Rows of a batch of evaluation: 0 where nothing is evaluated, null where nobody knows. */
function evaluationBatchOf(asker: RunQuestions, { batch }: BatchShape): number | null {
  const evaluates = asker.detail('evaluates');
  if (evaluates !== true) return evaluates === null ? null : 0;
  const rows = asker.value('evalBatchSize');
  const trained = asker.value('microBatchSize');
  if (rows === null || trained === null || trained === 0) return null;
  return Math.ceil((batch / trained) * rows);
}

/** What a batch of evaluation writes: as many tokens as the config says, else as many as a row of targets has. */
function evaluationWritesOf(
  asker: RunQuestions,
  head: Head,
  { targets }: BatchShape,
): NonNullable<MemoryRun['evaluationWrites']> | null {
  const stated = asker.detail('evaluationWrites');
  if (stated === null || head !== 'seq2seq') return null;
  return { tokens: stated.tokens ?? targets, beams: stated.beams };
}

/** What evaluation takes between two steps of training. */
export function evaluationOf(
  asker: RunQuestions,
  head: Head,
  shape: BatchShape,
): Pick<MemoryRun, 'evaluationBatch' | 'evaluationWrites'> {
  if (isInference(asker)) return { evaluationBatch: null };
  return {
    evaluationBatch: evaluationBatchOf(asker, shape),
    evaluationWrites: evaluationWritesOf(asker, head, shape),
  };
}
