import { isMainThread, Worker, workerData } from 'node:worker_threads';
import { receiver } from './workSide';
import type { WorkerSide } from './workSide';
import type { FromWorker } from './worker';

/** A worker process: does tasks as they come, one at a time, and goes with the process that started it. */
export function workOn(side: WorkerSide): void {
  if (!isMainThread) {
    watch(workerData as number);
    return;
  }
  process.on('message', receiver(side, say));
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
