import type { ProgressState } from './progress';

/** The metrics that are charted over the steps. */
const METRICS = ['loss', 'learningRate', 'tokensPerSecond'] as const;

export type Metric = (typeof METRICS)[number];

/** Steps, and a column for each metric; null if it was not printed. */
export interface MetricSeries {
  readonly steps: readonly number[];
  readonly columns: Readonly<Record<Metric, readonly (number | null)[]>>;
}

/** A chart has no room for more points. */
const MOST_POINTS = 400;

/** One point per step; if there are too many, the last non-empty one of each interval. */
export function seriesOf(states: readonly ProgressState[]): MetricSeries {
  const withMetrics = states.filter(
    state => state.step !== undefined && METRICS.some(name => state[name] !== undefined),
  );
  const stretch = Math.max(1, Math.ceil(withMetrics.length / MOST_POINTS));
  const points = withMetrics.filter((_, i) => i % stretch === stretch - 1 || i === withMetrics.length - 1);
  const column = (name: Metric): readonly (number | null)[] => points.map(state => state[name] ?? null);
  return {
    steps: points.map(({ step = 0 }) => step),
    columns: {
      loss: column('loss'),
      learningRate: column('learningRate'),
      tokensPerSecond: column('tokensPerSecond'),
    },
  };
}
