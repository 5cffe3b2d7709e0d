import { setTimeout as pause } from 'node:timers/promises';
import { NEVER } from '../../core/signal';
import type { JobRecord } from '../../jobs/job';
import type { Jobs } from '../../jobs/jobs';
import { isFinal } from '../../jobs/settle';
import { EXIT } from '../exit';
import type { ExitCode } from '../exit';
import type { Output } from '../output';
import { exitText, stateText } from './text';

const LOOK_MS = 300;
const REMOTE_LOOK_MS = 3000;

/** Writes a job's output as it arrives, until the job is over or the caller aborts. Returns the job's state. */
export async function followOutput(
  jobs: Jobs,
  id: string,
  output: Output,
  signal: { readonly aborted: boolean },
): Promise<JobRecord> {
  let shown = '';
  for (let offset = 0; ;) {
    const record = await existingRecord(jobs, id);
    const now = stateText(record);
    if (now !== shown && !isFinal(record)) output.err(now);
    shown = now;
    offset = await writeFrom(jobs, id, offset);
    if (isFinal(record) || signal.aborted) return record;
    await pause(record.place.engine === 'local' ? LOOK_MS : REMOTE_LOOK_MS);
  }
}

/** Writes the output from a byte on; returns where it ends. */
export async function writeFrom(jobs: Jobs, id: string, from: number): Promise<number> {
  for (let offset = from; ;) {
    const { bytes, offset: at } = await jobs.output(id, offset, NEVER);
    if (bytes.length === 0) return offset;
    process.stdout.write(bytes);
    offset = at + bytes.length;
  }
}

async function existingRecord(jobs: Jobs, id: string): Promise<JobRecord> {
  const record = await jobs.get(id);
  if (!record) throw new Error(`${id}: the job is gone.`);
  return record;
}

/** Reports the end; returns the exit code. */
function reportEnd(record: JobRecord, output: Output): ExitCode {
  output.err(exitText(record));
  if (record.state === 'succeeded') return EXIT.fits;
  return record.state === 'failed' || record.state === 'stopped' ? EXIT.exceeds : EXIT.undecided;
}

/** Follows a job that was started here. Ctrl+C stops it; a second one detaches. */
export async function attach(jobs: Jobs, id: string, output: Output): Promise<ExitCode> {
  const leaving = { aborted: false };
  let isStopping = false;
  const interrupt = (): void => {
    if (isStopping) {
      leaving.aborted = true;
      output.err(`The job keeps running. Use headroom logs ${id} or headroom stop ${id}.`);
      return;
    }
    isStopping = true;
    output.err('Stopping: interrupt, then terminate, then kill. Press Ctrl-C again to detach.');
    void jobs.stop(id, leaving).catch((error: unknown) => output.err(String(error)));
  };
  process.on('SIGINT', interrupt);
  try {
    const record = await followOutput(jobs, id, output, leaving);
    return reportEnd((await jobs.get(id)) ?? record, output);
  } finally {
    process.off('SIGINT', interrupt);
  }
}
