import { setTimeout as pause } from 'node:timers/promises';
import type { JobRecord } from '../../jobs/job';
import type { Jobs } from '../../jobs/jobs';
import { isFinal } from '../../jobs/settle';
import { exitText, stateText } from './text';
import { EXIT } from '../exit';
import type { ExitCode } from '../exit';
import type { Output } from '../output';
import { NEVER } from '../../core/signal';

const LOOK_MS = 300;
const REMOTE_LOOK_MS = 3000;

/** Writes a job's output as it comes, until it is over or the caller gives up. Returns how it then stands. */
export async function followOutput(
  jobs: Jobs,
  id: string,
  output: Output,
  signal: { readonly aborted: boolean },
): Promise<JobRecord> {
  let said = '';
  for (let offset = 0; ;) {
    const record = await known(jobs, id);
    const now = stateText(record);
    if (now !== said && !isFinal(record)) output.err(now);
    said = now;
    offset = await writeFrom(jobs, id, offset);
    if (isFinal(record) || signal.aborted) return record;
    await pause(record.place.engine === 'local' ? LOOK_MS : REMOTE_LOOK_MS);
  }
}

/** Writes what there is from a byte on; returns where it ends. */
export async function writeFrom(jobs: Jobs, id: string, from: number): Promise<number> {
  for (let offset = from; ;) {
    const { bytes, offset: at } = await jobs.output(id, offset, NEVER);
    if (bytes.length === 0) return offset;
    process.stdout.write(bytes);
    offset = at + bytes.length;
  }
}

async function known(jobs: Jobs, id: string): Promise<JobRecord> {
  const record = await jobs.get(id);
  if (!record) throw new Error(`${id}: the job is gone.`);
  return record;
}

/** What is said at the end, and the exit code that goes with it. */
export function ended(record: JobRecord, output: Output): ExitCode {
  output.err(exitText(record));
  if (record.state === 'succeeded') return EXIT.fits;
  return record.state === 'failed' || record.state === 'stopped' ? EXIT.exceeds : EXIT.undecided;
}
