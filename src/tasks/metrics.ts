import type { ProgressState } from '../core/output/progress/progress';
import { ProgressReader } from '../core/output/progress/reader';
import type { Jobs } from '../jobs/jobs';

const METRICS = ['loss', 'learningRate', 'tokensPerSecond'] as const;
type Metric = (typeof METRICS)[number];

/** Steps, and what the output said at each; null where it said nothing. */
export interface Curves {
  readonly steps: readonly number[];
  readonly columns: Readonly<Record<Metric, readonly (number | null)[]>>;
}

/** More points than a chart has pixels show nothing more. */
const MOST_POINTS = 400;
const PATIENCE_MS = 20_000;

/** Reads a job's whole output once, and then on, for those who draw what it says over its steps. */
export class MetricsReader {
  private readonly reader = new ProgressReader();
  private readonly decoder = new TextDecoder();
  private offset = 0;
  private reading: Promise<void> | null = null;

  constructor(
    private readonly jobs: Jobs,
    private readonly id: string,
  ) {}

  async read(): Promise<Curves> {
    this.reading ??= this.readOn().finally(() => (this.reading = null));
    await this.reading;
    return curvesOf(this.reader.all());
  }

  private async readOn(): Promise<void> {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    for (;;) {
      const { offset, bytes } = await this.jobs.output(this.id, this.offset, signal);
      if (bytes.length === 0) return;
      this.offset = offset + bytes.length;
      this.reader.push(this.decoder.decode(bytes, { stream: true }));
    }
  }
}

/** One point a step; of many steps, the last of each stretch that says anything. */
export function curvesOf(states: readonly ProgressState[]): Curves {
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
