import { ProgressReader } from '../core/output/progress/reader';
import { seriesOf } from '../core/output/progress/series';
import type { MetricSeries } from '../core/output/progress/series';
import type { Jobs } from '../jobs/jobs';

const PATIENCE_MS = 20_000;

/** Reads a job's whole output once, then incrementally, for charts over its steps. */
export class MetricsReader {
  private readonly reader = new ProgressReader();
  private readonly decoder = new TextDecoder();
  private offset = 0;
  private reading: Promise<void> | null = null;

  constructor(
    private readonly jobs: Jobs,
    private readonly id: string,
  ) {}

  async read(): Promise<MetricSeries> {
    this.reading ??= this.readOn().finally(() => (this.reading = null));
    await this.reading;
    return seriesOf(this.reader.all());
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
