import type { Bytes, Verdict } from './estimate';

/** `least`: what has to be there at once, whatever the allocator does. */
export function verdictOf(device: Bytes, least: number, usable: number | null): Verdict {
  if (usable === null) return 'unknown';
  if (least > usable) return 'exceeds';
  return device.high > usable ? 'tight' : 'fits';
}
