import { appendFile } from 'node:fs/promises';
import { writeWhole } from '../files';
import { joined } from '../samples';
import type { JobSample } from '../samples';

/** Two hours at full resolution with a reading every two seconds: about 4 MB for 8 GPUs. */
const MOST_LINES = 3600;

/**
 * A job's samples in a file, one per line, for any run time: when the file is full, pairs of lines are merged, and
 * from then on each line covers twice the time.
 */
export class SampleLog {
  private lines: JobSample[] = [];
  private gathered: JobSample[] = [];
  private stretch = 1;

  constructor(
    private readonly path: string,
    private readonly most = MOST_LINES,
  ) {}

  /** Throws on disk errors. */
  async add(sample: JobSample): Promise<void> {
    this.gathered.push(sample);
    if (this.gathered.length >= this.stretch) await this.end();
  }

  /** Writes readings that do not fill a line yet. */
  async end(): Promise<void> {
    if (this.gathered.length === 0) return;
    const sample = joined(this.gathered.splice(0));
    this.lines.push(sample);
    if (this.lines.length > this.most) await this.thin();
    else await appendFile(this.path, lineOf(sample), { mode: 0o600 });
  }

  private async thin(): Promise<void> {
    this.stretch *= 2;
    this.lines = this.lines.flatMap((sample, i) => {
      const next = this.lines[i + 1];
      return i % 2 === 1 ? [] : [next ? joined([sample, next]) : sample];
    });
    await writeWhole(this.path, this.lines.map(lineOf).join(''));
  }
}

const lineOf = (sample: JobSample): string => `${JSON.stringify(sample)}\n`;
