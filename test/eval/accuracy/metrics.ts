import type { Metric } from '../../../src/core/models/terms';
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
  const tool = words === 'unknown' && UNTOLD.test(metric ?? '') ? 'device' : metricOf(words);
  return { metric: tool, ...(metric?.includes('(last rank)') && { stage: 'last' }) };
}

/** Nobody says what showed it: what a job uses is then what nvidia-smi shows of it. */
const UNTOLD = /^unknown|tool not stated/;

/** What torch counts without saying how is taken for allocated, torch's first number; what a script reports for reserved. */
function metricOf(words: string): Metric {
  if (words === 'torch allocated' || words.startsWith('torch (')) return 'allocated';
  return words.startsWith('device') ? 'device' : 'reserved';
}
