import type { ParameterGroup } from '../optimizer';
import type { MemoryRun } from '../run';
import { bytesPer } from '../tensor';
import type { Element } from '../tensor';

/**
 * Memory for merging LoRA adapters into their base, layer by layer, in addition to both: the product of the two
 * matrices and its scaled copy in their dtype; or the scaled product and its copy in the base's dtype (PEFT 0.21,
 * tuners/lora/layer.py, get_delta_weight and merge). A quantized base is first dequantized, cast, added to, and
 * quantized again on the host (tuners/lora/bnb.py, merge).
 */
export function bytesOfMerging(run: MemoryRun, groups: readonly ParameterGroup[]): number {
  const { lora } = run.training;
  const { weightDtype, quantization } = run.numbers;
  if (lora === null || lora.method) return 0;
  return largestProduct(groups) * bytesOfElement(lora.dtype, weightDtype, quantization !== null);
}

export function bytesOfElement(adapters: Element, base: Element, isQuantized: boolean): number {
  const delta = bytesPer(adapters);
  if (isQuantized) return bytesPer(base) + (adapters === base ? 0 : delta) + delta + delta;
  return Math.max(2 * delta, delta + (adapters === base ? 0 : bytesPer(base)));
}

/** Elements of the largest adapted weight: rows of the second matrix by columns of the first. */
function largestProduct(groups: readonly ParameterGroup[]): number {
  let largest = 0;
  for (const { parameters } of groups) {
    for (const [i, { shape }] of parameters.entries()) {
      const [first, columns] = parameters[i - 1]?.shape ?? [];
      const [rows = 0, rank] = shape;
      if (rank !== undefined && rank === first) largest = Math.max(largest, rows * (columns ?? 0));
    }
  }
  return largest;
}
