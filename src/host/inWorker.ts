import { isMainThread, Worker, workerData } from 'node:worker_threads';
import type { FromWorker, ToWorker } from './worker';
import { reasonOf, stackOf } from '../core/text/errors';
import type { Signal } from '../core/signal';

/** Asks the process that started this one. */
export type Ask = (method: string, ...args: readonly unknown[]) => Promise<unknown>;

export interface WorkerSide {
  /** Does a task; once the signal is aborted, no one waits for the result. */
  readonly work: (task: unknown, ask: Ask, signal: Signal) => Promise<unknown>;
  readonly onNotice: (notice: unknown) => void;
}

/** The worker's side: does tasks as they come, one at a time, and goes with the process that started it. */
export function workOn({ work, onNotice }: WorkerSide): void {
  if (!isMainThread) {
    watch(workerData as number);
    return;
  }
  const answers = new Map<number, (answer: unknown) => void>();
  let signal = { aborted: false };
  let questions = 0;
  const ask: Ask = (method, ...args) =>
    new Promise(resolve => {
      const id = questions++;
      answers.set(id, resolve);
      say({ kind: 'ask', id, method, args });
    });
  const begin = (task: unknown): void => {
    signal = { aborted: false };
    answers.clear();
    work(task, ask, signal).then(
      result => say({ kind: 'done', result }),
      (error: unknown) => say({ kind: 'failed', message: reasonOf(error), stack: stackOf(error) }),
    );
  };
  process.on('message', (message: ToWorker) => {
    if (message.kind === 'task') begin(message.task);
    else if (message.kind === 'cancel') signal.aborted = true;
    else if (message.kind === 'notice') onNotice(message.notice);
    else {
      answers.get(message.id)?.(message.answer);
      answers.delete(message.id);
    }
  });
  process.on('disconnect', () => process.exit());
  new Worker(__filename, {
    workerData: process.ppid,
    resourceLimits: { maxOldGenerationSizeMb: 16 },
  }).unref();
  say({ kind: 'ready' });
}

function say(message: FromWorker): void {
  process.send?.(message, undefined, {}, () => undefined);
}

const LOOK_MS = 1000;

/** A thread next to the task, which receives nothing while it computes: ends this process when its parent is gone. */
function watch(parent: number): void {
  setInterval(() => {
    if (process.ppid !== parent || !isRunning(parent)) process.kill(process.pid, 'SIGKILL');
  }, LOOK_MS);
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
