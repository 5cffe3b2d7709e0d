import type { ProgressState } from './progress';

/** What is charted of an output over its steps. */
export const METRICS = ['loss', 'learningRate', 'tokensPerSecond'] as const;

export type Metric = (typeof METRICS)[number];

/** Steps, and a column for each metric; null where it was not printed. */
export interface MetricSeries {
  readonly steps: readonly number[];
  readonly columns: Readonly<Record<Metric, readonly (number | null)[]>>;
}

/** More points than a chart has pixels show nothing more. */
const MOST_POINTS = 400;

/** One point a step; of many steps, the last of each stretch that says anything. */
export function seriesOf(states: readonly ProgressState[]): MetricSeries {
  const said = states.filter(
    state => state.step !== undefined && METRICS.some(name => state[name] !== undefined),
  );
  const stretch = Math.max(1, Math.ceil(said.length / MOST_POINTS));
  const points = said.filter((_, i) => i % stretch === stretch - 1 || i === said.length - 1);
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
