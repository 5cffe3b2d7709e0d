import type { OomReport } from '../core/output/oom/report';
import { Disposing } from '../host/disposables';
import type { Log } from '../host/log';
import { latestOfConfigs, TAIL_BYTES, whyRanOut } from '../jobs/failures';
import type { JobConfig, JobRecord } from '../jobs/job';
import type { Jobs } from '../jobs/jobs';
import type { JobBoard } from './board';
import { isOver } from './jobText';

/** Receives the outcomes of configs' jobs. */
export interface FailureSink {
  outOfMemory(config: JobConfig, report: OomReport): void;
  /** The config's last job ended differently, or is active. */
  cleared(config: JobConfig): void;
}

/** Checks how the last job of each config ended, and reports which ran out of memory, and why. */
export class FailureWatch extends Disposing {
  /** The job last reported for each config. */
  private readonly reported = new Map<string, string>();

  constructor(
    private readonly board: JobBoard,
    private readonly sink: FailureSink,
    private readonly log: Log,
  ) {
    super();
    this.store.add(board.onDidChange(() => this.look()));
    this.look();
  }

  private look(): void {
    for (const record of latestOfConfigs(this.board.all().map(view => view.record))) {
      const { config, id, state } = record;
      if (config === null) continue;
      const key = `${config.file}\n${config.run}`;
      const now = `${id} ${isOver(record) ? state : ''}`;
      if (this.reported.get(key) === now) continue;
      this.reported.set(key, now);
      if (state === 'failed') void this.explain(record, config);
      else this.sink.cleared(config);
    }
  }

  private async explain(record: JobRecord, config: JobConfig): Promise<void> {
    try {
      const jobs = await this.board.begin();
      const report = jobs && whyRanOut(await tailOf(jobs, record.id), record);
      if (report) this.sink.outOfMemory(config, report);
      else this.sink.cleared(config);
    } catch (error) {
      this.log.error(`Output of job ${record.id}`, error);
    }
  }
}

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
