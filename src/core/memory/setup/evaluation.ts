import type { RunQuestions } from './questions';
import type { Head } from '../../spec/values';
import type { Evaluation } from '../run';
import type { BatchShape } from './batch';
import { isInference } from './task';

/** Rows of a batch of evaluation: 0 where nothing is evaluated, null where nobody knows. */
function evaluatedOf(asker: RunQuestions, { rows: batch }: BatchShape): number | null {
  const evaluates = asker.detail('evaluates');
  if (evaluates !== true) return evaluates === null ? null : 0;
  const rows = asker.value('evalBatchSize');
  const trained = asker.value('microBatchSize');
  if (rows === null || trained === null || trained === 0) return null;
  return Math.ceil((batch / trained) * rows);
}

/** What a batch of evaluation writes: as many tokens as the config says, else as many as a row of targets has. */
function writesOf(
  asker: RunQuestions,
  head: Head,
  { targets }: BatchShape,
): NonNullable<Evaluation['writes']> | null {
  const stated = asker.detail('evaluationWrites');
  if (stated === null || head !== 'seq2seq') return null;
  return { tokens: stated.tokens ?? targets, beams: stated.beams };
}

/** What evaluation takes between two steps of training. */
export function evaluationOf(asker: RunQuestions, head: Head, shape: BatchShape): Evaluation {
  if (isInference(asker)) return { evaluated: null };
  return {
    evaluated: evaluatedOf(asker, shape),
    writes: writesOf(asker, head, shape),
  };
}
