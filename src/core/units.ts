/** Bytes of the binary units in which GPUs, drivers and files are measured. */

/** Bytes of a kibibyte. */
export const KIB = 2 ** 10;
/** Bytes of a mebibyte, in which drivers report memory. */
export const MIB = 2 ** 20;
/** Bytes of a gibibyte, which the boxes of GPUs call GB. */
export const GIB = 2 ** 30;

/** `21.4 GB`, `812 MB`, `0 GB`. */
export function formatBytes(bytes: number): string {
  const mib = bytes / MIB;
  if (bytes === 0 || Math.abs(mib) >= 1024) return `${gigabytes(bytes)} GB`;
  if (Math.abs(mib) < 0.1) return `${Math.sign(bytes) * Math.max(1, Math.round(Math.abs(mib) * 1024))} kB`;
  return `${mib.toFixed(Math.abs(mib) < 10 ? 1 : 0)} MB`;
}

/** The number alone: one decimal below 100, none above; whole sizes of cards without `.0`. */
export function gigabytes(bytes: number): string {
  const gib = bytes / GIB;
  return Math.abs(gib) < 99.95 ? gib.toFixed(1) : gib.toFixed(0);
}

/** A card's memory as its box says it: 24564 MiB is `24 GB`. */
export function formatCapacity(bytes: number): string {
  const gib = bytes / GIB;
  const whole = Math.round(gib);
  return Math.abs(gib - whole) < 0.4 && whole > 0 ? `${whole} GB` : `${gib.toFixed(1)} GB`;
}

/** A change with its sign: `−6.1 GB`, `+512 MB`; null below 1 MB, which is no change. */
export function formatDelta(bytes: number): string | null {
  if (Math.abs(bytes) < MIB) return null;
  return `${bytes < 0 ? '−' : '+'}${formatBytes(Math.abs(bytes))}`;
}

/** `19.8–23.0 GB`, or `812–940 MB` when both are small. */
export function formatRange(low: number, high: number): string {
  if (high < GIB) return `${Math.round(low / MIB)}–${Math.round(high / MIB)} MB`;
  return `${gigabytes(low)}–${gigabytes(high)} GB`;
}

/** `8.03 B`, `135 M`, `4,096`. */
export function formatCount(count: number): string {
  if (count >= 1e9) return `${(count / 1e9).toFixed(2)} B`;
  if (count >= 1e6) return `${(count / 1e6).toFixed(count < 1e7 ? 2 : 0)} M`;
  return groupDigits(count);
}

/** The first digits of a whole number, then each three, but for the last: what a comma follows. */
const GROUPS = /^-?\d{1,3}?(?=(?:\d{3})+$)|\d{3}(?!$)/g;

/** Digits in groups of three, whatever the machine's locale: same input, same bytes out. */
export function groupDigits(value: number): string {
  const [whole = '', fraction] = String(value).split('.');
  const grouped = whole.replace(GROUPS, '$&,');
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

/** `87 %`. */
export function formatShare(share: number): string {
  return `${Math.round(share * 100)} %`;
}

/** `1 GPU`, `1,240 files`. */
export const counted = (count: number, noun: string): string =>
  `${groupDigits(count)} ${noun}${count === 1 ? '' : 's'}`;

/** `45 × 5 × 1 GPU`: formulas of dialects are written for any number of GPUs and nodes. */
export const withSingulars = (formula: string): string =>
  formula.replaceAll(/(?<![\d.,])\b1 (GPU|node)s\b/g, '1 $1');

/** `12,840`. */
export const grouped = (n: number): string => String(Math.round(n)).replace(GROUPS, '$&,');
