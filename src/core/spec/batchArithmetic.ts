import type { RunSpec } from './runSpec';

/**
 * The effective batch size as shown at the batch keys: `2 × 8 × 4 GPUs = 64`. Null if it would add nothing. `gpus`
 * is the target's count, for configs that leave the number of GPUs to the launcher.
 */
export function batchArithmetic(run: RunSpec, gpus: number | null): string | null {
  const { microBatchSize, gradAccum, parallel } = run.quantities;
  const micro = microBatchSize.value;
  const accumulation = gradAccum.value;
  if (micro === null || accumulation === null) return null;
  const count = run.quantities.gpus.value ?? gpus ?? 1;
  const modelParallel =
    (parallel.value?.tensor ?? 1) * (parallel.value?.context ?? 1) * (parallel.value?.pipeline ?? 1);
  const replicas = count / modelParallel;
  if (!Number.isInteger(replicas)) return null;
  const split = modelParallel > 1 ? ` ÷ ${modelParallel}` : '';
  const devices = `${count} ${count === 1 ? 'GPU' : 'GPUs'}${split}`;
  return `${micro} × ${accumulation} × ${devices} = ${micro * accumulation * replicas}`;
}
