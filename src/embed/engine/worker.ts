import { parentPort, workerData } from 'node:worker_threads';
import type { WorkerAnswer, WorkerSetup, WorkerTask } from './messages';
import { Session } from './session';
import { reasonOf } from '../../core/text/errors';

/** Out-of-memory messages of onnxruntime and the system. */
const OUT_OF_MEMORY =
  /out of memory|bad_alloc|Failed to allocate|CUDA failure 2\b|E_OUTOFMEMORY|insufficient memory/i;

const post = (answer: WorkerAnswer, moved: ArrayBuffer[] = []): void =>
  parentPort?.postMessage(answer, moved);

function failed(id: number | null, error: unknown): void {
  const why = reasonOf(error);
  post({ kind: 'failed', id, why, outOfMemory: OUT_OF_MEMORY.test(why) });
}

/** A session in a thread, which is blocked while a batch runs. */
async function serve(): Promise<void> {
  const session = await Session.open(workerData as WorkerSetup);
  parentPort?.on('message', (task: WorkerTask | null) => {
    if (task === null) {
      parentPort?.close();
      return;
    }
    const { id, batch } = task;
    session.vectors(batch).then(
      ({ data, size }) => post({ kind: 'done', id, vectors: data, size }, [data.buffer]),
      (error: unknown) => failed(id, error),
    );
  });
  post({ kind: 'ready', dimensions: session.dimensions });
}

serve().catch((error: unknown) => failed(null, error));
