import { Worker } from 'node:worker_threads';

export interface WorkerLimits {
  readonly timeMs: number;
  readonly heapMiB: number;
}

/** What a worker may ask of this thread, by name. */
export type Answers = Readonly<Record<string, (...args: never[]) => Promise<unknown>>>;

/** A task that took longer than it may. */
export class TimeLimitError extends Error {
  override readonly name = 'TimeLimitError';
}

/**
 * Does a task in its own thread and ends the thread: with its result, when the signal aborts, or at the time
 * limit, whichever comes first.
 */
export async function runInWorker(
  script: string,
  task: unknown,
  answers: Answers,
  limits: WorkerLimits,
  signal: AbortSignal,
): Promise<unknown> {
  signal.throwIfAborted();
  const worker = new Worker(script, {
    workerData: task,
    resourceLimits: { maxOldGenerationSizeMb: limits.heapMiB },
  });
  const stop = new AbortController();
  try {
    return await Promise.race([
      resultOf(worker, answers),
      rejectAfter(limits.timeMs, stop.signal),
      rejectOnAbort(signal, stop.signal),
    ]);
  } finally {
    stop.abort();
    await worker.terminate();
  }
}

function resultOf(worker: Worker, answers: Answers): Promise<unknown> {
  return new Promise((resolve, reject) => {
    worker.on('message', (message: FromWorker) => {
      if (message.kind === 'done') resolve(message.result);
      else if (message.kind === 'failed') reject(asThrown(message));
      else answer(worker, answers, message).catch(reject);
    });
    worker.on('error', reject);
    worker.on('exit', code => reject(new Error(`the worker thread ended early (exit code ${code})`)));
  });
}

/** The error of the thread, as it was thrown there. */
function asThrown({ message, stack }: FromWorker & { kind: 'failed' }): Error {
  return Object.assign(new Error(message), { stack });
}

async function answer(
  worker: Worker,
  answers: Answers,
  question: FromWorker & { kind: 'ask' },
): Promise<void> {
  const respond = answers[question.method] as ((...args: readonly unknown[]) => Promise<unknown>) | undefined;
  const reply: ToWorker = { id: question.id, answer: await respond?.(...question.args) };
  worker.postMessage(reply);
}

function rejectAfter(timeMs: number, stop: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const timer = setTimeout(
      () => reject(new TimeLimitError(`it took longer than ${timeMs / 1000} s`)),
      timeMs,
    );
    stop.addEventListener('abort', () => clearTimeout(timer));
  });
}

function rejectOnAbort(signal: AbortSignal, stop: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const abort = (): void => reject(new Error('canceled'));
    signal.addEventListener('abort', abort, { once: true, signal: stop });
  });
}

/** What a worker thread says: a question for the window's side, or its answer, or why there is none. */
export type FromWorker =
  | { readonly kind: 'ask'; readonly id: number; readonly method: string; readonly args: readonly unknown[] }
  | { readonly kind: 'done'; readonly result: unknown }
  | { readonly kind: 'failed'; readonly message: string; readonly stack: string };

/** An answer to a question. */
export interface ToWorker {
  readonly id: number;
  readonly answer: unknown;
}
