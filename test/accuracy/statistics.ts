import type { Measured } from './record';

/** A record that was answered. */
export interface Answer {
  readonly measured: Measured;
  readonly predicted: number;
  readonly low: number;
  readonly high: number;
}

export interface GroupStatistics {
  readonly n: number;
  readonly median: number;
  readonly p90: number;
  /** The signed median. */
  readonly bias: number;
  readonly within10: number;
  /** Predicted more than 10 % too low. */
  readonly under10: number;
  readonly coverage: number;
}

/** Signed: positive where too much was predicted. */
export const errorOf = ({ measured, predicted }: Answer): number => predicted / measured.bytes - 1;

export function statistics(answers: readonly Answer[]): GroupStatistics {
  const signed = answers.map(errorOf);
  const absolute = signed.map(Math.abs);
  const share = (holds: (answer: Answer) => boolean): number =>
    rounded(answers.filter(holds).length / answers.length);
  return {
    n: answers.length,
    median: rounded(quantile(absolute, 0.5)),
    p90: rounded(quantile(absolute, 0.9)),
    bias: rounded(quantile(signed, 0.5)),
    within10: share(answer => Math.abs(errorOf(answer)) <= 0.1),
    under10: share(answer => errorOf(answer) < -0.1),
    coverage: share(({ measured, low, high }) => low <= measured.bytes && measured.bytes <= high),
  };
}

/** Statistics by group; `by-source` has for each source the median of its errors. */
export function byGroup(answers: readonly Answer[]): Readonly<Record<string, GroupStatistics>> {
  const groups = new Map<string, Answer[]>();
  for (const answer of answers) for (const group of answer.measured.groups) put(groups, group, answer);
  const named = [...groups].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries([
    ...named.map(([name, group]) => [name, statistics(group)] as const),
    ...bySource(answers),
  ]);
}

function bySource(answers: readonly Answer[]): readonly (readonly [string, GroupStatistics])[] {
  const sources = new Map<string, Answer[]>();
  for (const answer of answers) put(sources, answer.measured.source, answer);
  const medians = [...sources.values()].map(group => medianAnswer(group));
  return medians.length === 0 ? [] : [['by-source', statistics(medians)]];
}

/** The answer with the median error of a source. */
function medianAnswer(group: readonly Answer[]): Answer {
  const sorted = group.toSorted((a, b) => Math.abs(errorOf(a)) - Math.abs(errorOf(b)));
  return sorted[Math.floor((sorted.length - 1) / 2)]!;
}

function put<T>(map: Map<string, T[]>, key: string, value: T): void {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}

/** Linear between ranks. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (sorted.length - 1) * share;
  const [low = 0, high = low] = [sorted[Math.floor(at)], sorted[Math.ceil(at)]];
  return low + (high - low) * (at - Math.floor(at));
}

const rounded = (value: number): number => Number(value.toFixed(5));
