import type { ParameterGroup } from '../optimizer';
import type { MemoryRun } from '../run';
import { bytesPer } from '../tensor';
import type { Element } from '../tensor';

/**
 * What merging LoRA's adapters into their base takes in addition to both, layer by layer: the product of the two matrices and what
 * it is once it is scaled, in their dtype; or that and the same in the base's (PEFT 0.21, tuners/lora/layer.py,
 * get_delta_weight and merge). A quantised base is unpacked first, cast, added to, and packed again on the host
 * (tuners/lora/bnb.py, merge).
 */
export function bytesOfMerging(run: MemoryRun, groups: readonly ParameterGroup[]): number {
  const {
    training: { lora },
    numbers: { weightDtype, quantization },
  } = run;
  if (lora === null || lora.method) return 0;
  return largestProduct(groups) * bytesOfElement(lora.dtype, weightDtype, quantization !== null);
}

export function bytesOfElement(adapters: Element, base: Element, isQuantized: boolean): number {
  const delta = bytesPer(adapters);
  if (isQuantized) return bytesPer(base) + (adapters === base ? 0 : delta) + delta + delta;
  return Math.max(2 * delta, delta + (adapters === base ? 0 : bytesPer(base)));
}

/** Elements of the largest weight with adapters: rows of the second matrix by columns of the first. */
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
