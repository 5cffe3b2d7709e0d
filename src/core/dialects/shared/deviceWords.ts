import type { ValueReader } from '../engine/readers';
import type { Plain } from '../../yaml/scalars';

const CPU = /^(?:cpu|mps|none|no)$/i;
const ONE = /^(?:cuda|gpu)(?::\d+)?$/i;
const LIST = /^(?:cuda:)?[[(]?\s*(\d+(?:\s*,\s*\d+)*)\s*(?:,\s*)?[\])]?$/;

/**
 * Number of GPUs in a device value: `cuda`, `cuda:1` and an index are one, `0,1` and `[0, 1]` two, `cpu` none,
 * `auto` all.
 */
export const deviceWords: ValueReader<number | 'auto'> = value => {
  if (Array.isArray(value)) return { ok: (value as readonly Plain[]).length };
  if (typeof value === 'number') return counted(value);
  if (typeof value !== 'string') return null;
  if (value === 'auto' || value === '-1' || value === '') return { ok: 'auto' };
  if (CPU.test(value)) return { ok: 0 };
  if (ONE.test(value)) return { ok: 1 };
  if (/^\d+$/.test(value)) return counted(Number(value));
  const list = LIST.exec(value)?.[1];
  return list === undefined ? null : { ok: list.split(',').length };
};

/** A plain number is a count; −1 means all. */
function counted(value: number): { readonly ok: number | 'auto' } | null {
  if (value === -1) return { ok: 'auto' };
  return Number.isInteger(value) && value >= 0 ? { ok: value } : null;
}
