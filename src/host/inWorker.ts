import { parentPort, workerData } from 'node:worker_threads';
import type { FromWorker, ToWorker } from './worker';
import { reasonOf, stackOf } from '../core/text/errors';

/** Asks the thread that started this one. */
export type Ask = (method: string, ...args: readonly unknown[]) => Promise<unknown>;

/** The worker's side: does the one task it was started with and sends the result. */
export function workOn(work: (task: unknown, ask: Ask) => Promise<unknown>): void {
  const answers = new Map<number, (answer: unknown) => void>();
  parentPort?.on('message', ({ id, answer }: ToWorker) => {
    answers.get(id)?.(answer);
    answers.delete(id);
  });
  let questions = 0;
  const ask: Ask = (method, ...args) =>
    new Promise(resolve => {
      const id = questions++;
      answers.set(id, resolve);
      say({ kind: 'ask', id, method, args });
    });
  work(workerData as unknown, ask).then(
    result => say({ kind: 'done', result }),
    (error: unknown) => say({ kind: 'failed', message: reasonOf(error), stack: stackOf(error) }),
  );
}

function say(message: FromWorker): void {
  parentPort?.postMessage(message);
}
