import type { RunQuestions } from './questions';
import { known, NONE, UNKNOWN } from '../../spec/maybe';
import type { Maybe } from '../../spec/maybe';
import type { Head } from '../../spec/values';
import type { Evaluation } from '../run';
import type { BatchShape } from './batch';
import { isInference } from './task';

/** Rows of an evaluation batch. */
function evaluatedOf(questions: RunQuestions, { rows: batch }: BatchShape): Maybe<number> {
  const evaluates = questions.detail('evaluates');
  if (evaluates === null) return UNKNOWN;
  const rows = questions.value('evalBatchSize');
  if (!evaluates || rows === 0) return NONE;
  const trained = questions.value('microBatchSize');
  if (rows === null || trained === null || trained === 0) return UNKNOWN;
  return known(Math.ceil((batch / trained) * rows));
}

/** Tokens that an evaluation batch generates: as the config states, else as many as a target row has. */
function writesOf(
  questions: RunQuestions,
  head: Head,
  { targets }: BatchShape,
): NonNullable<Evaluation['writes']> | null {
  const stated = questions.detail('evaluationWrites');
  if (stated === null || head !== 'seq2seq') return null;
  return { tokens: stated.tokens ?? targets, beams: stated.beams };
}

/** The evaluation between two training steps. */
export function evaluationOf(
  questions: RunQuestions,
  head: Head,
  shape: BatchShape,
  validation: Pick<Evaluation, 'picture'>,
): Evaluation {
  if (isInference(questions)) return { evaluated: NONE, writes: null };
  const { picture } = validation;
  if (picture) return { evaluated: known(picture.rows), writes: null, picture };
  return {
    evaluated: evaluatedOf(questions, shape),
    writes: writesOf(questions, head, shape),
  };
}
