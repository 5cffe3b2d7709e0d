import { withEta } from '../core/output/progress/eta';
import type { SeenStep } from '../core/output/progress/eta';
import type { ProgressState } from '../core/output/progress/progress';
import { ProgressReader } from '../core/output/progress/reader';
import type { OutputPiece } from './engine';
import type { JobRecord } from './job';
import type { JobView } from './jobs';
import { isFinal } from './settle';
import type { Signal } from '../core/signal';

interface Source {
  record(): Promise<JobRecord>;
  read(offset: number, signal: Signal): Promise<OutputPiece>;
  parts(): Promise<JobView['parts']>;
}

/** The rate is that of the last steps, because the first ones are slower. */
const MOST_SEEN = 60;
const LOCAL_MS = 1000;
const REMOTE_MS = 5000;

/** Follows one job's output and reports its state whenever that changes. */
export class Follower {
  private readonly given = new AbortController();
  private readonly decoder = new TextDecoder();
  private reader: ProgressReader | null = null;
  private offset = 0;
  private timer: NodeJS.Timeout | null = null;
  private lastText = '';
  private seen: SeenStep[] = [];
  private parts: JobView['parts'] = [];

  constructor(
    private readonly source: Source,
    private readonly listener: (view: JobView) => void,
  ) {
    void this.tick();
  }

  dispose(): void {
    this.given.abort();
    if (this.timer) clearTimeout(this.timer);
  }

  private async tick(): Promise<void> {
    let record: JobRecord | null = null;
    try {
      record = await this.source.record();
      await this.readOn(record);
      // Only local embeddings write these.
      if (record.kind === 'embed' && record.place.engine === 'local') this.parts = await this.source.parts();
    } catch {
      // Retry a host that does not answer later.
    }
    if (this.given.signal.aborted) return;
    if (record) this.report(record);
    if (record && isFinal(record)) return;
    const ms = record?.place.engine === 'local' ? LOCAL_MS : REMOTE_MS;
    this.timer = setTimeout(() => void this.tick(), ms);
    this.timer.unref();
  }

  private async readOn(record: JobRecord): Promise<void> {
    this.reader ??= await readerFor(record);
    for (;;) {
      const { offset, bytes } = await this.source.read(this.offset, this.given.signal);
      if (bytes.length === 0 || this.given.signal.aborted) return;
      this.offset = offset + bytes.length;
      this.reader.push(this.decoder.decode(bytes, { stream: true }));
    }
  }

  private report(record: JobRecord): void {
    const progress = this.progress(record);
    const { parts } = this;
    const now = JSON.stringify([record, progress, parts]);
    if (now === this.lastText) return;
    this.lastText = now;
    this.listener({ record, progress, parts });
  }

  /** The progress in the output, with the remaining time computed from the rate if it is missing. */
  private progress(record: JobRecord): ProgressState | null {
    const states = this.reader?.all() ?? [];
    const step = states.at(-1)?.step;
    if (step !== undefined && step !== this.seen.at(-1)?.step) {
      this.seen = [...this.seen, { step, timeMs: Date.now() }].slice(-MOST_SEEN);
    }
    return record.state === 'running' ? withEta(states, this.seen) : (states.at(-1) ?? null);
  }
}

/** The dialects are a separate, large chunk. */
async function readerFor({ config }: JobRecord): Promise<ProgressReader> {
  if (config === null) return new ProgressReader();
  const { dialectLogs } = await import('../core/dialects/dialectLogs');
  return new ProgressReader(dialectLogs(config.dialect));
}
