import { quantile } from './statistics';
import type { Answer } from './statistics';

/** How many measurements are inside intervals of one width. */
export interface Reliability {
  readonly metric: string;
  readonly n: number;
  /** Inside the interval, and inside one of half and of twice its width. */
  readonly half: number;
  readonly inside: number;
  readonly twice: number;
  /** Below the interval and above it: the prediction was too high, too low. */
  readonly below: number;
  readonly above: number;
  /** Median width of the interval as a share of the expected value. */
  readonly width: number;
}

const METRICS = ['allocated', 'reserved', 'device'] as const;

/** By metric, and for all of them. */
export function reliabilityOf(answers: readonly Answer[]): readonly Reliability[] {
  const byMetric = METRICS.map(metric =>
    row(
      metric,
      answers.filter(({ measured }) => measured.metric === metric),
    ),
  );
  return [...byMetric, row('all', answers)].filter(({ n }) => n > 0);
}

function row(metric: string, answers: readonly Answer[]): Reliability {
  const share = (holds: (answer: Answer) => boolean): number =>
    rounded(answers.filter(holds).length / Math.max(1, answers.length));
  return {
    metric,
    n: answers.length,
    half: share(answer => isInside(answer, 0.5)),
    inside: share(answer => isInside(answer, 1)),
    twice: share(answer => isInside(answer, 2)),
    below: share(({ measured, low }) => measured.bytes < low),
    above: share(({ measured, high }) => measured.bytes > high),
    width: rounded(
      quantile(
        answers.map(({ low, high, predicted }) => (high - low) / predicted),
        0.5,
      ),
    ),
  };
}

function isInside({ measured, predicted, low, high }: Answer, scale: number): boolean {
  const from = predicted - (predicted - low) * scale;
  const to = predicted + (high - predicted) * scale;
  return from <= measured.bytes && measured.bytes <= to;
}

const rounded = (value: number): number => Number(value.toFixed(3));
