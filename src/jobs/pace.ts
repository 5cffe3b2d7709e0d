import type { ProgressState } from '../core/output/progress/progress';
import type { JobRecord } from './job';
import { english } from '../core/text/say';
import type { Say } from '../core/text/say';

/** Seconds of a step as the output says them; null if it does not. */
export function statedSeconds(progress: ProgressState | null): number | null {
  const { secondsPerStep, stepsPerSecond } = progress ?? {};
  return secondsPerStep ?? (stepsPerSecond ? 1 / stepsPerSecond : null);
}

const rounded = (value: number): string => String(Number(value.toPrecision(3)));

/** `1.25 s/step`, or `3.4 steps/s` where a step is short. */
export const rateText = (seconds: number, what = 'step'): string =>
  seconds >= 1 ? `${rounded(seconds)} s/${what}` : `${rounded(1 / seconds)} ${what}s/s`;

/** `, predicted 1.1 (0.8–1.6)`, in the unit of the measured rate; empty if nothing was predicted. */
export function predictedPace(
  { pace }: Pick<JobRecord, 'pace'>,
  measured: number,
  say: Say = english,
): string {
  if (!pace) return '';
  const { low, expected, high } = pace;
  const [from, middle, to] = measured >= 1 ? [low, expected, high] : [1 / high, 1 / expected, 1 / low];
  const short = (value: number): string => String(Number(value.toPrecision(2)));
  return say(', predicted {0} ({1}–{2})', short(middle), short(from), short(to));
}
