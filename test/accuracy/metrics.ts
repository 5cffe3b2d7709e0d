import type { Metric } from '../../src/core/memory/estimate';
import type { PublishedRecord } from './publishedRecord';
import type { Measured } from './record';

/** A figure that is said to leave the prompt's pass out is what generation holds. */
export function measuredIn({
  metric,
  metric_class: words,
}: PublishedRecord): Pick<Measured, 'metric' | 'phase' | 'stage'> {
  if (metric?.includes('prefill transients are NOT in the figure')) {
    return { metric: 'allocated', phase: 'generation' };
  }
  return { metric: metricOf(words), ...(metric?.includes('(last rank)') && { stage: 'last' }) };
}

/** What torch counts without saying how is taken for allocated, torch's first number; unknown tools for reserved. */
function metricOf(words: string): Metric {
  if (words === 'torch allocated' || words.startsWith('torch (')) return 'allocated';
  return words.startsWith('device') ? 'device' : 'reserved';
}
