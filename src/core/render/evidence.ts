import type { Evidence } from '../learn/measurement';
import { formatBytes, formatRange } from '../units';
import type { Json } from '../text/json';

/** The word after a verdict that does not rest on the computation alone; null if it does. */
export function evidenceWord(evidence: Evidence | null | undefined): string | null {
  switch (evidence?.kind) {
    case 'measured':
      return 'measured';
    case 'dry run':
      return 'dry run';
    case 'fitted':
      return `from ${evidence.points} measured runs`;
    case 'corrected':
    case undefined:
      return null;
  }
}

/** The evidence in a table's note, which also mentions corrections. */
export const evidenceLabel = (evidence: Evidence): string =>
  evidenceWord(evidence) ?? `corrected by ${evidence.points} measured`;

/** Sentences about the evidence, and about the estimate without it; empty if it is only computed. */
export function describeEvidence(evidence: Evidence | null | undefined): string {
  if (!evidence) return '';
  const { says, computed, regression, kind } = evidence;
  const instead = computed
    ? ` ${kind === 'corrected' ? 'Otherwise' : 'Computed'}: ${formatBytes(computed.expected)} (${formatRange(computed.low, computed.high)}).`
    : '';
  const changed = regression === null ? '' : ` ${capital(regression)}.`;
  return `${capital(says)}.${instead}${changed}`;
}

export function evidenceAsJson({ kind, source, points, at, computed, says, regression }: Evidence): Json {
  return { kind, source, points, at, computed: computed && { ...computed }, says, regression };
}

const capital = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
