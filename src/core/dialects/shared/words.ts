import type { Dtype } from '../../spec/values';
import { oneOf } from '../engine/readers';
import type { RunReader } from '../engine/runReader';
import type { Plain } from '../../yaml/scalars';

/** torch's dtype names, with and without `torch.`. */
export const dtypeWord = oneOf<Dtype>({
  float32: 'fp32',
  'torch.float32': 'fp32',
  fp32: 'fp32',
  bfloat16: 'bf16',
  'torch.bfloat16': 'bf16',
  bf16: 'bf16',
  float16: 'fp16',
  'torch.float16': 'fp16',
  half: 'fp16',
  fp16: 'fp16',
});

/** The set keys as written: `bf16: auto, fp16: false`; null if none is set. */
export function rawWords(run: RunReader, keys: readonly string[]): string | null {
  const set = keys.filter(key => run.has(key)).map(key => `${key}: ${valueText(run.value(key))}`);
  return set.length > 0 ? set.join(', ') : null;
}

/** A value as written in a config. */
export function valueText(value: Plain): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
