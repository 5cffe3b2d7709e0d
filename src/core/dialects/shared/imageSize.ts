import type { ValueReader } from '../engine/readers';

/** `224`, or `[32, 128]` in file order. */
export const plainSize: ValueReader<readonly [number, number]> = value => {
  if (isSide(value)) return { ok: [value, value] };
  if (!Array.isArray(value) || value.length !== 2) return null;
  const [first, second] = value as readonly unknown[];
  return isSide(first) && isSide(second) ? { ok: [first, second] } : null;
};

const isSide = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value > 0;
