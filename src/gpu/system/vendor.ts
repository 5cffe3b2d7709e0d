import type { GpuDevice } from '../device';

const VENDORS: readonly (readonly [GpuDevice['vendor'], RegExp])[] = [
  ['apple', /\bapple\b/i],
  ['nvidia', /nvidia|geforce|quadro/i],
  ['amd', /\b(?:amd|ati|advanced micro devices|radeon)\b/i],
  ['intel', /\bintel\b/i],
];

/** The vendor that a name by people or systems means. */
export function vendorOf(words: string): GpuDevice['vendor'] {
  return VENDORS.find(([, pattern]) => pattern.test(words))?.[0] ?? 'unknown';
}
