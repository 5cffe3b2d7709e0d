import type { FromWorker, ToWorker } from './worker';
import { reasonOf, stackOf } from '../core/text/errors';
import type { Signal } from '../core/signal';

/** Asks the window that started this worker. */
export type Ask = (method: string, ...args: readonly unknown[]) => Promise<unknown>;

export interface WorkerSide {
  /** Does a task; once the signal is aborted, no one waits for the result. */
  readonly work: (task: unknown, ask: Ask, signal: Signal) => Promise<unknown>;
  readonly onNotice: (notice: unknown) => void;
}

/** The worker's side: receives what it is told, and does tasks as they come, one at a time. */
export function receiver(
  { work, onNotice }: WorkerSide,
  say: (message: FromWorker) => void,
): (message: ToWorker) => void {
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
  return message => {
    if (message.kind === 'task') begin(message.task);
    else if (message.kind === 'cancel') signal.aborted = true;
    else if (message.kind === 'notice') onNotice(message.notice);
    else {
      answers.get(message.id)?.(message.answer);
      answers.delete(message.id);
    }
  };
}
