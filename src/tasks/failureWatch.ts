import { explainOom } from '../core/output/oom/explain';
import type { OomReport } from '../core/output/oom/report';
import { DisposableStore } from '../host/disposables';
import type { Disposable } from '../host/disposables';
import type { Log } from '../host/log';
import type { JobConfig, JobRecord } from '../jobs/job';
import type { Jobs } from '../jobs/jobs';
import type { JobBoard } from './board';
import { isOver } from './jobText';

/** What becomes of configs is told to whoever shows them. */
export interface FailureSink {
  outOfMemory(config: JobConfig, report: OomReport): void;
  /** Its last job ended in another way, or is under way. */
  cleared(config: JobConfig): void;
}

/** A job's last words are read: as many as the explainer looks at. */
const TAIL_BYTES = 256 * 1024;
/** Configs whose last job is looked at. */
const MOST_CONFIGS = 50;

/** Looks at how the last job of each config ended, and says which ran out of memory, and why. */
export class FailureWatch implements Disposable {
  private readonly store = new DisposableStore();
  /** Which job was told of a config last. */
  private readonly told = new Map<string, string>();

  constructor(
    private readonly board: JobBoard,
    private readonly sink: FailureSink,
    private readonly log: Log,
  ) {
    this.store.add(board.onDidChange(() => this.look()));
    this.look();
  }

  dispose(): void {
    this.store.dispose();
  }

  private look(): void {
    for (const record of latestOfConfigs(this.board.all().map(view => view.record))) {
      const { config, id, state } = record;
      if (config === null) continue;
      const key = `${config.file}\n${config.run}`;
      const now = `${id} ${isOver(record) ? state : ''}`;
      if (this.told.get(key) === now) continue;
      this.told.set(key, now);
      if (state === 'failed') void this.explain(record, config);
      else this.sink.cleared(config);
    }
  }

  private async explain(record: JobRecord, config: JobConfig): Promise<void> {
    try {
      const jobs = await this.board.begin();
      const report = jobs && explainOom(withEnd(await tailOf(jobs, record.id), record));
      if (report) this.sink.outOfMemory(config, report);
      else this.sink.cleared(config);
    } catch (error) {
      this.log.error(`Output of job ${record.id}`, error);
    }
  }
}

function latestOfConfigs(records: readonly JobRecord[]): readonly JobRecord[] {
  const latest = new Map<string, JobRecord>();
  for (const record of records) {
    const { config } = record;
    if (config === null || latest.size >= MOST_CONFIGS) continue;
    const key = `${config.file}\n${config.run}`;
    const there = latest.get(key);
    if (!there || there.createdMs < record.createdMs) latest.set(key, record);
  }
  return [...latest.values()];
}

/** What a scheduler or the kernel said of the end stands in no output. */
const withEnd = (text: string, { exit }: JobRecord): string => {
  const words = [
    exit?.reason === 'OUT_OF_MEMORY' ? 'State: OUT_OF_MEMORY' : null,
    exit?.signal === 'SIGKILL' || exit?.code === 137 ? 'Process exited with exit code 137 (SIGKILL)' : null,
  ].filter(word => word !== null);
  return words.length === 0 ? text : `${text}\n${words.join('\n')}\n`;
};

async function tailOf(jobs: Jobs, id: string): Promise<string> {
  const signal = AbortSignal.timeout(60_000);
  let tail = new Uint8Array();
  let offset = 0;
  for (;;) {
    const piece = await jobs.output(id, offset, signal);
    if (piece.bytes.length === 0) break;
    offset = piece.offset + piece.bytes.length;
    const joined = new Uint8Array(tail.length + piece.bytes.length);
    joined.set(tail);
    joined.set(piece.bytes, tail.length);
    tail = joined.slice(-TAIL_BYTES);
  }
  return new TextDecoder().decode(tail);
}
