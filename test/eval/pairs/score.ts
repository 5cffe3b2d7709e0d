import { quantile } from '../accuracy/statistics';
import { rounded } from '../bench/bench';
import type { Compared, Outcome, Pair } from './pair';

/** How good the predictions of one metric are; the shares are null where nothing was compared. */
interface MetricScore {
  readonly n: number;
  readonly mean: number | null;
  readonly median: number | null;
  readonly p90: number | null;
  /** The share of measurements between low and high. */
  readonly inside: number | null;
  /** More than twice as much as was measured, or less than half. */
  readonly over2x: number;
  /** Said to fit, and failed. */
  readonly wrongFits: number;
  /** Of runs that failed: those that are said to fail for the reason that they failed for. */
  readonly rightReasons?: number;
}

export interface SetScore {
  readonly files: number;
  /** Of which a run was read. */
  readonly read: number;
  /** Of whose runs memory was predicted. */
  readonly answered: number;
  readonly byMetric: Readonly<Record<string, MetricScore>>;
  readonly worst: readonly object[];
  /** Files without an answer, by the fact that each lacks. */
  readonly missing: Readonly<Record<string, number>>;
}

/** The score of a set. `read`: files of which a run was read. */
export function scoreOf(outcomes: readonly Outcome[], read: ReadonlySet<string>, worst: number): SetScore {
  const compared = outcomes.flatMap(one => (one.kind === 'compared' ? [one.compared] : []));
  const pairOf = (one: Outcome): Pair => (one.kind === 'compared' ? one.compared.pair : one.pair);
  const metrics = [...new Set(outcomes.map(one => pairOf(one).metric))];
  const filesOf = (some: readonly Outcome[]): ReadonlySet<string> =>
    new Set(some.map(one => pairOf(one).file));
  const inMetric = (metric: string): readonly Outcome[] =>
    outcomes.filter(one => pairOf(one).metric === metric);
  return {
    files: filesOf(outcomes).size,
    read: read.size,
    answered: filesOf(outcomes.filter(({ kind }) => kind !== 'missing')).size,
    byMetric: Object.fromEntries(metrics.map(metric => [metric, metricScore(inMetric(metric))])),
    worst: worstOf(compared, worst),
    missing: missingIn(outcomes),
  };
}

function metricScore(outcomes: readonly Outcome[]): MetricScore {
  const compared = outcomes.flatMap(one => (one.kind === 'compared' ? [one.compared] : []));
  const judged = outcomes.flatMap(one => (one.kind === 'judged' ? [one] : []));
  const errors = compared.map(({ error }) => Math.abs(error));
  const known = (value: number): number | null => (compared.length === 0 ? null : rounded(value, 5));
  return {
    n: outcomes.filter(({ kind }) => kind !== 'missing').length,
    mean: known(errors.reduce((sum, error) => sum + error, 0) / errors.length),
    median: known(quantile(errors, 0.5)),
    p90: known(quantile(errors, 0.9)),
    inside: known(compared.filter(({ isInside }) => isInside).length / compared.length),
    over2x: compared.filter(({ predicted, measured }) => predicted > 2 * measured || measured > 2 * predicted)
      .length,
    wrongFits: outcomes.filter(one => one.kind === 'judged' && one.saysFits).length,
    ...(judged.length > 0 && { rightReasons: judged.filter(({ hasReason }) => hasReason).length }),
  };
}

const worstOf = (compared: readonly Compared[], count: number): readonly object[] =>
  compared
    .toSorted((a, b) => Math.abs(b.error) - Math.abs(a.error))
    .slice(0, count)
    .map(({ pair, predicted, measured, error }) => ({
      ...{ id: pair.id, metric: pair.metric },
      ...{ predicted: Math.round(predicted), measured: Math.round(measured), error: rounded(error, 5) },
    }));

function missingIn(outcomes: readonly Outcome[]): Readonly<Record<string, number>> {
  const files = new Map<string, Set<string>>();
  for (const outcome of outcomes) {
    if (outcome.kind !== 'missing') continue;
    for (const fact of outcome.missing) {
      const lacking = files.get(fact) ?? new Set();
      files.set(fact, lacking.add(outcome.pair.file));
    }
  }
  const counted = [...files].map(([fact, lacking]) => [fact, lacking.size] as const);
  return Object.fromEntries(counted.toSorted(([, a], [, b]) => b - a));
}
