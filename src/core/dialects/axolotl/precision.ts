import type { Quantity } from '../../spec/quantity';
import type { Dtype } from '../../spec/values';
import { oneOf } from '../engine/readers';
import type { RunReader } from '../engine/runReader';

const bf16Word = oneOf<boolean | 'auto'>({ auto: 'auto', true: true, false: false });

/** bf16 is on by default if the GPU supports it, as all do since Ampere (config/__init__ L158-177). */
function bf16(run: RunReader): boolean {
  const stated = run.isNull('bf16') ? false : (run.read('bf16', bf16Word) ?? 'auto');
  return stated === 'auto' ? run.flag('fp16') !== true : stated;
}

/** Dtype of the weights (config/__init__ L191-196). */
function dtype(run: RunReader): Dtype {
  if (bf16(run) || run.flag('bfloat16')) return 'bf16';
  return run.flag('load_in_8bit') || run.flag('fp16') || run.flag('float16') ? 'fp16' : 'fp32';
}

const DTYPE_KEYS = ['bf16', 'bfloat16', 'fp16', 'float16'];

export function loadDtype(run: RunReader): Quantity<Dtype> {
  const value = dtype(run);
  return stated(run, DTYPE_KEYS, value, 'schemas/config.py L559: bf16 is auto');
}

export function precision(run: RunReader): Quantity<string> {
  if (run.flag('fp8')) return run.at('fp8', 'fp8');
  return stated<string>(run, DTYPE_KEYS, dtype(run), 'schemas/config.py L559: bf16 is auto');
}

function stated<T>(run: RunReader, keys: readonly string[], value: T, source: string): Quantity<T> {
  return keys.some(key => run.has(key))
    ? run.at(
        keys.filter(key => run.has(key)),
        value,
      )
    : run.byDefault(value, source);
}

/** True if the trainer's bf16 or fp16 flag is on: the forward pass then runs under autocast. */
export function autocast(run: RunReader): Quantity<boolean> {
  const on = bf16(run) || run.flag('fp16') === true;
  return run.derived(on, ['precision'], on ? 'bf16 or fp16 is on' : 'neither bf16 nor fp16 is on');
}
