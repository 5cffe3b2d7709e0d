import { availableParallelism } from 'node:os';
import { once } from 'node:events';
import { join } from 'node:path';
import { parentPort, Worker, workerData } from 'node:worker_threads';
import { checkSome } from './checked';
import type { Checked, CheckTask } from './checked';
import type { InputFile } from './inputs';
import { Session } from './session';

/** A thread takes a fifth of a second to start, which does not pay off with fewer files. */
const MANY_FILES = 300;
const MOST_THREADS = 8;
/** Files per batch for a thread. */
const SHARE = 32;

/**
 * Checks files, with further threads if there are many. Results keep the order of the files; files of a thread that
 * failed are checked here.
 */
export async function checkFiles(
  session: Session,
  files: readonly InputFile[],
  task: CheckTask,
): Promise<readonly Checked[]> {
  const shares = sharesOf(files);
  const results: (readonly Checked[])[] = [];
  let next = 0;
  const workWith = async (check: (share: readonly InputFile[]) => Promise<readonly Checked[]>) => {
    for (let i = next++; i < shares.length; i = next++) results[i] = await check(shares[i] ?? []);
  };
  const here = (share: readonly InputFile[]) => checkSome(session, share, task);
  const threads = Array.from({ length: helpersFor(files.length) }, () => new CheckThread(task));
  try {
    const helped = threads.map(thread => workWith(share => thread.check(share).catch(() => here(share))));
    await Promise.all([workWith(here), ...helped]);
  } finally {
    await Promise.all(threads.map(thread => thread.end()));
  }
  return results.flat();
}

function helpersFor(files: number): number {
  return files < MANY_FILES ? 0 : Math.min(availableParallelism(), MOST_THREADS) - 1;
}

function sharesOf(files: readonly InputFile[]): readonly (readonly InputFile[])[] {
  const count = Math.ceil(files.length / SHARE);
  return Array.from({ length: count }, (_, i) => files.slice(i * SHARE, (i + 1) * SHARE));
}

/** This program in a worker thread, which checks one batch after the other. */
class CheckThread {
  private readonly worker: Worker;
  /** Rejects when the thread ends or fails. */
  private readonly gone: Promise<never>;

  constructor(task: CheckTask) {
    this.worker = new Worker(join(__dirname, 'cli.js'), { workerData: task, stdout: true, stderr: true });
    // Rules that fail report to the thread's stderr.
    this.worker.stderr.on('data', (chunk: Buffer) => process.stderr.write(chunk));
    this.gone = once(this.worker, 'exit').then(() => {
      throw new Error('the thread has ended');
    });
    // Avoids an unhandled rejection while nothing awaits a result.
    this.gone.catch(() => undefined);
  }

  async check(share: readonly InputFile[]): Promise<readonly Checked[]> {
    const stop = new AbortController();
    const answered = once(this.worker, 'message', { signal: stop.signal });
    this.worker.postMessage(share);
    try {
      const [checked] = (await Promise.race([answered, this.gone])) as [readonly Checked[]];
      return checked;
    } finally {
      stop.abort();
    }
  }

  async end(): Promise<void> {
    await this.worker.terminate();
  }
}

/** The worker thread's side of this program. */
export function serveChecks(): void {
  const task = workerData as CheckTask;
  const session = new Session({ silent: true, download: task.download === true });
  parentPort?.on('message', (share: readonly InputFile[]) => {
    void checkSome(session, share, task).then(checked => parentPort?.postMessage(checked));
  });
}
