import type { Evidence } from '../learn/measurement';
import { formatBytes, formatRange } from '../units';
import type { Json } from '../text/json';
import type { Say } from '../text/say';

/** The word after a verdict that does not rest on the computation alone; null if it does. */
export function evidenceWord(say: Say, evidence: Evidence | null | undefined): string | null {
  switch (evidence?.kind) {
    case 'measured':
      return say('measured');
    case 'dry run':
      return say('dry run');
    case 'fitted':
      return say('from {0} measured runs', evidence.points);
    case 'corrected':
    case undefined:
      return null;
  }
}

/** The evidence in a table's note, which also mentions corrections. */
export const evidenceLabel = (say: Say, evidence: Evidence): string =>
  evidenceWord(say, evidence) ?? say('corrected by {0} measured', evidence.points);

/** Sentences about the evidence, and about the estimate without it; empty if it is only computed. */
export function describeEvidence(say: Say, evidence: Evidence | null | undefined): string {
  if (!evidence) return '';
  const { says, computed, regression, kind } = evidence;
  const sentences = [`${capital(says)}.`];
  if (computed) {
    const amounts = [formatBytes(computed.expected), formatRange(computed.low, computed.high)];
    sentences.push(
      kind === 'corrected'
        ? say('Otherwise: {0} ({1}).', ...amounts)
        : say('Computed: {0} ({1}).', ...amounts),
    );
  }
  if (regression !== null) sentences.push(`${capital(regression)}.`);
  return sentences.join(' ');
}

export function evidenceAsJson({ kind, source, points, at, computed, says, regression }: Evidence): Json {
  return { kind, source, points, at, computed: computed && { ...computed }, says, regression };
}

const capital = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
