import { dirname } from 'node:path';
import { estimateRun } from '../../core/memory/estimateRun';
import type { DeviceEstimate } from '../../core/memory/estimate';
import { changed } from '../../core/dialects/change';
import type { BatchBytes, BatchPlan } from '../../embed/engine/budget';
import type { EmbedModel } from '../../embed/folder/modelFolder';
import { nodeTimers } from '../../gpu/timers';
import { firstReadings } from '../gpus/first';
import { hostsFor } from '../gpus/hosts';
import { Session } from '../session';
import { count } from './progress';
import { MIB } from '../../core/units';

/** Terms of a run's estimate that do not depend on the batch. */
const FIXED_TERMS: ReadonlySet<string> = new Set(['weights', 'cuda context', 'library workspace']);

/**
 * The memory of batches of this model, from the memory model: an embedding config of it, read and estimated as any
 * other. Null: the model is unknown.
 */
export async function batchBytes(model: EmbedModel): Promise<BatchBytes | null> {
  const folder = model.runtime === 'onnxruntime' ? dirname(model.tokenizer) : model.folder;
  const config = { model: folder, batch_size: 1, max_seq_length: model.maxTokens, device: 'cuda' };
  const text = JSON.stringify({ embeddings: config });
  const analysis = await new Session({ computed: true }).analyze('embeddings.yaml', text, null);
  const [one] = analysis.runs;
  if (!one?.model) return null;
  const { run, model: facts } = one;
  // onnxruntime materializes the attention scores, as `eager` does.
  const attention = model.runtime === 'onnxruntime' ? [{ quantity: 'attention', to: 'eager' } as const] : [];
  return (rows, width) => {
    const sizes = [
      { quantity: 'microBatchSize', to: rows },
      { quantity: 'seqLen', to: width },
    ] as const;
    const found = estimateRun(changed(run, [...sizes, ...attention]), facts, null);
    const device = found.ok ? found.estimate.devices[0] : undefined;
    return device ? dependentBytes(device) : null;
  };
}

const dependentBytes = ({ terms }: DeviceEstimate): number =>
  terms.reduce((sum, { term, bytes }) => (FIXED_TERMS.has(term) ? sum : sum + bytes), 0);

const INTERVAL_MS = 1000;

/** Free memory of the GPU that a process here gets first; null if unknown. */
export async function gpuFreeBytes(): Promise<number | null> {
  const watches = hostsFor({ host: ['local'] }, INTERVAL_MS, null);
  try {
    const [reading] = await firstReadings(watches, nodeTimers);
    const [visible] = (process.env['CUDA_VISIBLE_DEVICES'] ?? '').split(',');
    const devices = reading?.devices ?? [];
    const device = devices.find(({ uuid }) => uuid === visible) ?? devices[Number(visible)];
    const free = reading?.samples.find(({ key }) => key === device?.key)?.memoryFreeMiB ?? null;
    return free === null ? null : free * MIB;
  } finally {
    for (const watch of watches) watch.dispose();
  }
}

/** The description of a run's batches at its start. */
export function batchText({ tokens, most, bytes, freeBytes, reason }: BatchPlan): string {
  const size = `batches of ${count(tokens)} tokens`;
  const growing = most > tokens ? `, up to ${count(most)} while larger is faster` : '';
  const model = bytes === null ? '' : `, ${megabytes(bytes)} by the memory model`;
  const free = bytes === null || freeBytes === null ? '' : ` with ${megabytes(freeBytes)} free`;
  const requested = reason === 'asked' ? ' as requested' : '';
  return `${size}${requested}${growing}${model}${free}`;
}

const megabytes = (bytes: number): string =>
  bytes >= 1e9 ? `${(bytes / 1e9).toFixed(1)} GB` : `${Math.max(1, Math.round(bytes / 1e6))} MB`;
