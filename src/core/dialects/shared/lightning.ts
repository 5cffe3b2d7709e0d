import type { Quantity } from '../../spec/quantity';
import type { QuantityTable, Rule } from '../dialect';
import { count, text } from '../engine/readers';
import type { ValueReader } from '../engine/readers';
import type { Plain } from '../../yaml/scalars';

const SOURCE = 'lightning trainer/trainer.py';

/**
 * `devices` of a Lightning Trainer: a count, a list of indices, `0,2` or `[0, 2]` as text, or `auto` and −1 for
 * all.
 */
export const lightningDevices: ValueReader<number | 'auto'> = value => {
  if (value === 'auto' || value === -1 || value === '-1') return { ok: 'auto' };
  if (Array.isArray(value)) return { ok: value.length };
  if (typeof value !== 'string') return count(value);
  const indices = value.replace(/[[\]\s]/g, '').split(',');
  return indices.length > 1 ? { ok: indices.filter(index => index !== '').length } : count(value);
};

/** Lightning's `precision` in canonical form: `-mixed` keeps fp32 weights, `-true` does not. */
const PRECISIONS: Readonly<Record<string, string>> = {
  '32': 'fp32',
  '32-true': 'fp32',
  '64': 'fp64',
  '64-true': 'fp64',
  '16': 'fp16-mixed',
  '16-mixed': 'fp16-mixed',
  bf16: 'bf16-mixed',
  'bf16-mixed': 'bf16-mixed',
  '16-true': 'fp16',
  'bf16-true': 'bf16',
  'transformer-engine': 'fp8',
};

export const lightningPrecision: ValueReader<string> = value => {
  if (typeof value === 'object') return null;
  const meaning = PRECISIONS[String(value)];
  return meaning === undefined
    ? { unfit: `is not one of ${Object.keys(PRECISIONS).join(', ')}` }
    : { ok: meaning };
};

/** The rows of a Lightning Trainer with its arguments below `prefix`. */
export function lightningTrainer(prefix: string) {
  const key = (name: string): readonly [string] => [`${prefix}.${name}`];
  return {
    gradAccum: {
      keys: key('accumulate_grad_batches'),
      read: count,
      absent: { value: 1, source: SOURCE },
      near: key('max_epochs'),
    },
    precision: {
      keys: key('precision'),
      read: lightningPrecision,
      absent: { value: 'fp32', source: `${SOURCE}: 32-true` },
    },
    precisionRaw: {
      keys: key('precision'),
      read: (value: Plain) => (typeof value === 'object' ? null : { ok: String(value) }),
    },
    devices: { keys: key('devices'), read: lightningDevices, absent: { value: 'auto', source: SOURCE } },
    nodes: { keys: key('num_nodes'), read: count, absent: { value: 1, source: SOURCE } },
    accelerator: { keys: key('accelerator'), read: text, absent: { value: 'auto', source: SOURCE } },
    strategy: { keys: key('strategy'), read: text, absent: { value: 'auto', source: SOURCE } },
  } as const satisfies QuantityTable;
}

/** `-mixed` runs the forward pass under autocast. */
export const autocastByPrecision: Rule<boolean> = (run): Quantity<boolean> => {
  const precision = run.get('precision').value;
  if (precision === null) return run.unknown('The precision is not known.');
  const mixed = precision.endsWith('-mixed');
  return run.derived(mixed, ['precision'], mixed ? 'mixed precision autocasts' : 'no autocast');
};
