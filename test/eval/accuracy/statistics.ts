import type { Measured } from './record';

/** A record with an estimate. */
export interface Answer {
  readonly measured: Measured;
  readonly predicted: number;
  readonly low: number;
  readonly high: number;
}

/** Errors as shares; all null if there are no estimates. */
export interface GroupStatistics {
  readonly n: number;
  readonly median: number | null;
  readonly p90: number | null;
  /** The signed median. */
  readonly bias: number | null;
  readonly within10: number | null;
  /** Predictions that are more than 10 % too low. */
  readonly under10: number | null;
  readonly coverage: number | null;
}

/** Signed: positive if the prediction was too high. */
export const errorOf = ({ measured, predicted }: Answer): number => predicted / measured.bytes - 1;

export function statistics(answers: readonly Answer[]): GroupStatistics {
  const signed = answers.map(errorOf);
  const absolute = signed.map(Math.abs);
  const known = (value: number): number | null => (answers.length === 0 ? null : rounded(value));
  const share = (holds: (answer: Answer) => boolean): number | null =>
    known(answers.filter(holds).length / answers.length);
  return {
    n: answers.length,
    median: known(quantile(absolute, 0.5)),
    p90: known(quantile(absolute, 0.9)),
    bias: known(quantile(signed, 0.5)),
    within10: share(answer => Math.abs(errorOf(answer)) <= 0.1),
    under10: share(answer => errorOf(answer) < -0.1),
    coverage: share(({ measured, low, high }) => low <= measured.bytes && measured.bytes <= high),
  };
}

/** Groups that are always listed, even without estimates. */
const GROUPS = [
  'all',
  'published',
  'A',
  'AB',
  'A-train-1gpu-allocated',
  'train-multi-gpu',
  'inference',
  'embedding',
  'vision',
  'diffusion',
  'simulated',
];

/** Statistics by group; `by-source` is over the median error of each source. */
export function byGroup(answers: readonly Answer[]): Readonly<Record<string, GroupStatistics>> {
  const groups = new Map<string, Answer[]>(GROUPS.map(name => [name, []]));
  for (const answer of answers) for (const group of answer.measured.groups) put(groups, group, answer);
  const named = [...groups].map(([name, group]) => [name, statistics(group)] as const);
  return Object.fromEntries([...named, ['by-source', bySource(answers)] as const]);
}

function bySource(answers: readonly Answer[]): GroupStatistics {
  const sources = new Map<string, Answer[]>();
  for (const answer of answers) put(sources, answer.measured.source, answer);
  return statistics([...sources.values()].map(medianAnswer));
}

/** The estimate with the median error of a source. */
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
