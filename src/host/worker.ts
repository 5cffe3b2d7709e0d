import type { Disposable } from './disposables';
import { reasonOf } from '../core/text/errors';

/** What a worker may ask of this process, by name. */
export type Answers = Readonly<Record<string, (...args: never[]) => Promise<unknown>>>;

interface WorkerOptions {
  readonly start: StartWorker;
  readonly answers: Answers;
  /** Workers that there are at the same time. */
  readonly most: number;
  /** How long a task waits for a busy worker before another is started. */
  readonly patienceMs: number;
  /** How long one rests before it is ended, where it need not be kept. */
  readonly restMs: number;
}

/** A worker that was started; messages to one that has ended are lost. */
interface StartedWorker {
  /** Throws for what cannot be copied. */
  send(message: ToWorker): void;
  kill(): void;
}

/** What a worker says, and why it ended where it was not told to. */
interface WorkerEvents {
  readonly message: (message: FromWorker) => void;
  readonly ended: (why: Error) => void;
}

/** Starts a program that ends in `workOn`: a process, or a browser's worker. */
export type StartWorker = (events: WorkerEvents) => StartedWorker;

/** A task that took more than it may: time or memory. */
export class LimitError extends Error {
  override readonly name = 'LimitError';

  constructor(
    readonly what: 'time' | 'memory',
    message: string,
  ) {
    super(message);
  }
}

/** Loading the program takes a second, on a busy machine many more. */
const START_MS = 60_000;
/** Time for an abandoned task to end by itself, so that its worker can go on. */
const GRACE_MS = 1000;

interface Task {
  readonly what: unknown;
  readonly timeMs: number;
  readonly signal: AbortSignal;
  readonly done: (result: unknown) => void;
  readonly failed: (error: Error) => void;
}

/** Workers that do tasks, one at a time each. The first is started with the first task, and kept while it is wanted. */
export class Workers implements Disposable {
  private readonly all = new Set<Worker>();
  private readonly waiting: Task[] = [];
  private patience: NodeJS.Timeout | null = null;
  private wanted = true;

  constructor(private readonly options: WorkerOptions) {}

  /** Rejects with a LimitError, with what the task threw, or once the signal is aborted. */
  run(what: unknown, timeMs: number, signal: AbortSignal): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) {
        reject(canceled());
        return;
      }
      const settled = new AbortController();
      const task: Task = {
        what,
        timeMs,
        signal,
        done: result => {
          settled.abort();
          resolve(result);
        },
        failed: error => {
          settled.abort();
          reject(error);
        },
      };
      const giveUp = (): void => {
        const at = this.waiting.indexOf(task);
        if (at >= 0) this.waiting.splice(at, 1);
        task.failed(canceled());
      };
      signal.addEventListener('abort', giveUp, { once: true, signal: settled.signal });
      this.waiting.push(task);
      this.assign();
    });
  }

  /** Tells every worker that there is, between its tasks or within one. */
  notify(notice: unknown): void {
    for (const worker of this.all) worker.send({ kind: 'notice', notice });
  }

  /** Whether a worker is to be kept though it has nothing to do. */
  keep(wanted: boolean): void {
    if (wanted === this.wanted) return;
    this.wanted = wanted;
    if (!wanted) for (const worker of this.all) this.rest(worker);
  }

  dispose(): void {
    if (this.patience) clearTimeout(this.patience);
    for (const task of this.waiting.splice(0)) task.failed(canceled());
    for (const worker of [...this.all]) worker.end(canceled());
  }

  private assign(): void {
    for (const worker of this.all) {
      if (!worker.isBusy && this.waiting.length > 0) this.give(worker);
    }
    if (this.waiting.length === 0 || this.all.size >= this.options.most) return;
    if (this.all.size === 0) this.start();
    else this.patience ??= setTimeout(() => this.hurry(), this.options.patienceMs);
  }

  private hurry(): void {
    this.patience = null;
    if (this.waiting.length > 0 && this.all.size < this.options.most) this.start();
  }

  private start(): void {
    const worker: Worker = new Worker(this.options, {
      free: () => {
        this.assign();
        if (!worker.isBusy) this.rest(worker);
      },
      gone: () => {
        this.all.delete(worker);
        this.assign();
      },
    });
    this.all.add(worker);
    this.assign();
  }

  private give(worker: Worker): void {
    const task = this.waiting.shift();
    if (task) worker.begin(task);
  }

  private rest(worker: Worker): void {
    worker.restFor(this.options.restMs, () => {
      if (!this.wanted || this.all.size > 1) worker.end(canceled());
    });
  }
}

interface Owner {
  readonly free: () => void;
  readonly gone: () => void;
}

/** One worker. Its owner hears when it has nothing to do, and when it is no more. */
class Worker {
  private readonly child: StartedWorker;
  private task: Task | null = null;
  private isReady = false;
  private hasEnded = false;
  /** What happens next if nothing else does: a limit, or the end of a rest. */
  private timer: NodeJS.Timeout | null = null;

  constructor(
    private readonly options: WorkerOptions,
    private readonly owner: Owner,
  ) {
    this.child = options.start({
      message: message => this.onMessage(message),
      ended: why => this.end(why),
    });
    this.after(START_MS, () => this.end(new Error(`the worker did not start within ${START_MS / 1000} s`)));
  }

  get isBusy(): boolean {
    return this.task !== null;
  }

  begin(task: Task): void {
    this.task = task;
    task.signal.addEventListener('abort', () => this.cancel(task), { once: true });
    if (this.isReady) this.limit(task);
    this.send({ kind: 'task', task: task.what });
  }

  send(message: ToWorker): void {
    if (this.hasEnded) return;
    try {
      this.child.send(message);
    } catch (error) {
      this.settle(task => task.failed(new Error(reasonOf(error))));
    }
  }

  /** Once it has rested for so long. */
  restFor(ms: number, then: () => void): void {
    if (!this.isBusy) this.after(ms, () => !this.isBusy && then());
  }

  end(why: Error): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    if (this.timer) clearTimeout(this.timer);
    this.child.kill();
    const { task } = this;
    this.task = null;
    task?.failed(why);
    this.owner.gone();
  }

  private onMessage(message: FromWorker): void {
    if (this.hasEnded) return;
    if (message.kind === 'ready') {
      this.isReady = true;
      if (this.timer) clearTimeout(this.timer);
      if (this.task) this.limit(this.task);
    } else if (message.kind === 'ask') void this.answer(message);
    else if (message.kind === 'done') this.settle(task => task.done(message.result));
    else this.settle(task => task.failed(asThrown(message)));
  }

  private settle(how: (task: Task) => void): void {
    const { task } = this;
    if (this.timer) clearTimeout(this.timer);
    this.task = null;
    if (task) how(task);
    this.owner.free();
  }

  private async answer({ id, method, args }: FromWorker & { kind: 'ask' }): Promise<void> {
    const respond = this.options.answers[method] as
      | ((...args: readonly unknown[]) => Promise<unknown>)
      | undefined;
    try {
      this.send({ kind: 'answer', id, answer: await respond?.(...args) });
    } catch (error) {
      this.end(new Error(reasonOf(error), { cause: error }));
    }
  }

  private limit({ timeMs }: Task): void {
    this.after(timeMs, () => this.end(new LimitError('time', `it took longer than ${timeMs / 1000} s`)));
  }

  private cancel(task: Task): void {
    if (this.task !== task) return;
    this.send({ kind: 'cancel' });
    if (this.isReady) this.after(GRACE_MS, () => this.end(canceled()));
  }

  private after(ms: number, then: () => void): void {
    if (this.timer) clearTimeout(this.timer);
    this.timer = setTimeout(then, ms);
  }
}

const canceled = (): Error => new Error('canceled');

/** The error of the worker, as it was thrown there. */
function asThrown({ message, stack }: FromWorker & { kind: 'failed' }): Error {
  return Object.assign(new Error(message), { stack });
}

/** What a worker says: that it listens; a question; the result of its task, or why there is none. */
export type FromWorker =
  | { readonly kind: 'ready' }
  | { readonly kind: 'ask'; readonly id: number; readonly method: string; readonly args: readonly unknown[] }
  | { readonly kind: 'done'; readonly result: unknown }
  | { readonly kind: 'failed'; readonly message: string; readonly stack: string };

/** What it is told: a task; that no one waits for it; an answer to a question; news. */
export type ToWorker =
  | { readonly kind: 'task'; readonly task: unknown }
  | { readonly kind: 'cancel' }
  | { readonly kind: 'answer'; readonly id: number; readonly answer: unknown }
  | { readonly kind: 'notice'; readonly notice: unknown };
