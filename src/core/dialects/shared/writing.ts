import type { ScalarValue } from '../../yaml/node';
import type { WriterTable, Written } from '../dialect';
import type { RunReader } from '../engine/runReader';

export const write = (key: string, value: ScalarValue, near: readonly string[] = []): Written => ({
  ok: true,
  writes: [{ key, value, near }],
});

export const refuse = (why: string): Written => ({ ok: false, why });

/** Writes a batch per GPU as the global batch that the framework expects. */
export const writesGlobal = (key: string): WriterTable => ({
  microBatchSize: (to, run) => {
    const gpus = run.get('gpus').value;
    if (gpus === null) {
      return refuse(`${key} counts all GPUs together, and their number is not in the files.`);
    }
    return write(key, to * Math.max(gpus, 1));
  },
});

/** Accumulation that follows from the global batch, which the file states. */
export const accumulatesByGlobal = (key: string): Pick<WriterTable, 'gradAccum'> => ({
  gradAccum: (to, run) => {
    const micro = run.get('microBatchSize').value;
    const replicas = replicasOf(run);
    return micro === null || replicas === null
      ? refuse(`${key} counts all GPUs together, and their number is not in the files.`)
      : write(key, to * micro * replicas);
  },
});

/** Number of GPUs with separate samples. */
function replicasOf(run: RunReader): number | null {
  const gpus = run.get('gpus').value;
  const { tensor = 1, context = 1, pipeline = 1 } = run.get('parallel').value ?? {};
  const replicas = gpus === null ? null : gpus / (tensor * context * pipeline);
  return replicas !== null && Number.isInteger(replicas) ? replicas : null;
}
