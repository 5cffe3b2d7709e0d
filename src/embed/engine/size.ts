import { open } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { onnxParameters } from '../../core/models/onnx';
import { readAt } from '../output/files';
import type { Device } from './messages';

/** Tokens per batch, rows × longest. On a CPU a small batch stays in the cache; a GPU needs many at once. */
export const BUDGET = { cpu: 512, gpu: 8192 } as const;

/** Memory of a session in addition to its weights, in bytes: the library's own and a batch's. */
const SESSION_BYTES = 80e6;
const FLOAT_BYTES = 4;
/** The share of the free memory that workers may use. */
const MOST_OF_FREE = 0.7;

/**
 * The number of single-threaded sessions: one per core, as far as memory allows each its own model. A GPU has one.
 */
export async function workerCount(
  onnx: string,
  device: Device,
  requested: number | undefined,
): Promise<number> {
  if (device !== 'cpu') return 1;
  if (requested !== undefined) return requested;
  const fitting = Math.floor((process.availableMemory() * MOST_OF_FREE) / (await sessionBytes(onnx)));
  return Math.max(1, Math.min(availableParallelism(), fitting));
}

async function sessionBytes(onnx: string): Promise<number> {
  const handle = await open(onnx, 'r');
  try {
    const parameters = await onnxParameters((offset, length) => readAt(handle, offset, length));
    return (parameters ?? 0) * FLOAT_BYTES + SESSION_BYTES;
  } finally {
    await handle.close();
  }
}
