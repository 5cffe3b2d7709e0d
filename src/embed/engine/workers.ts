import { Worker } from 'node:worker_threads';
import { EmbedError } from '../errors';
import type { PackedBatch } from './batches';
import type { WorkerAnswer, WorkerSetup, WorkerTask } from './messages';

interface VectorsOfBatch {
  readonly vectors: Float32Array<ArrayBuffer>;
  readonly size: number;
}

/** A batch of this size did not fit into memory. */
export class OutOfMemory extends Error {}

interface Waiting {
  readonly resolve: (answer: VectorsOfBatch) => void;
  readonly reject: (error: Error) => void;
}

/** Batches queued per worker, so that it never waits for the next one. */
const AHEAD = 2;

/** A worker's arrays are outside its heap; without a limit its garbage would take tens of megabytes. */
const LITTLE = { maxYoungGenerationSizeMb: 4 } as const;

/** Longer than a batch or loading a model takes. */
const PATIENCE_MS = 10_000;

interface Member {
  readonly worker: Worker;
  readonly left: Promise<unknown>;
  running: number;
}

/** Sessions in threads, each with its own model, that take batches in turn. */
export class Workers {
  private readonly members: Member[] = [];
  private readonly waiting = new Map<number, Waiting & { readonly member: Member }>();
  private free: (() => void)[] = [];
  private next = 0;
  private failure: Error | null = null;

  private constructor(
    private readonly file: string,
    private readonly setup: WorkerSetup,
  ) {}

  /** Starts `count` workers; `dimensions` is the vector size from the model's file. */
  static async start(
    file: string,
    setup: WorkerSetup,
    count: number,
  ): Promise<{ readonly workers: Workers; readonly dimensions: number | null }> {
    const workers = new Workers(file, setup);
    try {
      const all = await Promise.all(Array.from({ length: count }, () => workers.add()));
      return { workers, dimensions: all[0] ?? null };
    } catch (error) {
      await workers.stop();
      throw error;
    }
  }

  get count(): number {
    return this.members.length;
  }

  /** Resolves when a worker accepts another batch. */
  async ready(): Promise<void> {
    while (this.failure === null && this.members.every(({ running }) => running >= AHEAD)) {
      await new Promise<void>(resolve => this.free.push(resolve));
    }
    if (this.failure) throw this.failure;
  }

  run(batch: PackedBatch): Promise<VectorsOfBatch> {
    const member = this.members.reduce((least, each) => (each.running < least.running ? each : least));
    const id = this.next++;
    member.running++;
    return new Promise((resolve, reject) => {
      if (this.failure) {
        reject(this.failure);
        return;
      }
      this.waiting.set(id, { resolve, reject, member });
      const task: WorkerTask = { id, batch };
      member.worker.postMessage(task);
    });
  }

  async stop(): Promise<void> {
    this.fail(new EmbedError('engine', 'The engine was stopped.'));
    await Promise.all(this.members.map(ended));
  }

  private add(): Promise<number | null> {
    const worker = new Worker(this.file, { workerData: this.setup, resourceLimits: LITTLE });
    const left = new Promise(resolve => worker.once('exit', resolve));
    const member: Member = { worker, left, running: 0 };
    this.members.push(member);
    return new Promise((resolve, reject) => {
      const lost = (why: string): void => {
        const error = new EmbedError('engine', `The embedding engine ended: ${why}.`);
        this.fail(error);
        reject(error);
      };
      worker.on('message', (answer: WorkerAnswer) => {
        if (answer.kind === 'ready') resolve(answer.dimensions);
        else if (answer.kind === 'failed' && answer.id === null) reject(new EmbedError('engine', answer.why));
        else this.answered(answer);
      });
      worker.on('error', error => lost(error.message));
      worker.on('exit', code => lost(`a worker exited with ${code}`));
    });
  }

  private answered(answer: Exclude<WorkerAnswer, { kind: 'ready' }>): void {
    const { id } = answer;
    const one = id === null ? undefined : this.waiting.get(id);
    if (id === null || !one) return;
    this.waiting.delete(id);
    one.member.running--;
    if (answer.kind === 'done') one.resolve(answer);
    else one.reject(answer.outOfMemory ? new OutOfMemory(answer.why) : new EmbedError('engine', answer.why));
    this.wake();
  }

  private fail(error: Error): void {
    this.failure ??= error;
    for (const { reject } of this.waiting.values()) reject(this.failure);
    this.waiting.clear();
    this.wake();
  }

  private wake(): void {
    const { free } = this;
    this.free = [];
    for (const resolve of free) resolve();
  }
}

/** The worker ends by itself after its current batch: interrupting native code may crash the whole process. */
async function ended({ worker, left }: Member): Promise<void> {
  worker.postMessage(null);
  const timer = setTimeout(() => void worker.terminate(), PATIENCE_MS);
  await left;
  clearTimeout(timer);
}
