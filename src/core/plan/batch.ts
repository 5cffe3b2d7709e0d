import type { Target } from '../hardware/gpu';
import type { RunSpec } from '../spec/runSpec';

/** Samples one device adds to an optimizer step; null when the batch is not known. */
export function perDevice(run: RunSpec): number | null {
  const { microBatchSize, gradAccum } = run.quantities;
  return microBatchSize.value === null || gradAccum.value === null
    ? null
    : microBatchSize.value * gradAccum.value;
}

/** Copies of the model that see different samples: all GPUs, divided by those that share one copy. */
export function replicas(run: RunSpec, target: Target | null): number {
  const gpus = run.quantities.gpus.value ?? target?.count ?? 1;
  const { tensor = 1, context = 1, pipeline = 1 } = run.quantities.parallel.value ?? {};
  return gpus / (tensor * context * pipeline);
}

/** Samples per GPU and step that make an effective batch, or a sentence that says why none do. */
export function samplesPerGpu(effectiveBatch: number, run: RunSpec, target: Target | null): number | string {
  const copies = replicas(run, target);
  const samples = effectiveBatch / copies;
  if (Number.isInteger(samples) && samples >= 1) return samples;
  const below = Math.max(1, Math.floor(samples)) * copies;
  return `An effective batch of ${effectiveBatch} cannot be shared evenly by ${copies} model copies; ${below} or ${below + copies} can.`;
}
