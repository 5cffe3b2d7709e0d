import { formatBytes } from '../units';
import type { Measurement } from './measurement';

/** Smaller differences between releases do not count. */
const LEAST_SHARE = 0.05;
const LEAST_BYTES = 256 * 2 ** 20;

/**
 * The effect of a change of releases on one run, from its measurements: `after transformers 4.50 (from 4.49) this
 * config needs 2.1 GB more`. Compares the newest releases with those before; null if nothing stands out or only one
 * was measured.
 */
export function regressionIn(measurements: readonly Measurement[]): string | null {
  const byMetric = new Map<string, Measurement[]>();
  for (const one of measurements) {
    if (Object.keys(one.versions).length === 0) continue;
    const key = `${one.metric} ${one.gpu ?? ''} ${one.source === 'dry run' ? 'dry' : 'real'}`;
    byMetric.set(key, [...(byMetric.get(key) ?? []), one]);
  }
  for (const group of byMetric.values()) {
    const found = changeIn(group.toSorted((a, b) => (a.at < b.at ? -1 : 1)));
    if (found !== null) return found;
  }
  return null;
}

function changeIn(group: readonly Measurement[]): string | null {
  const newest = group.at(-1);
  if (!newest) return null;
  const now = group.filter(one => changes(one, newest).length === 0);
  const before = group.filter(one => changes(one, newest).length > 0);
  const last = before.at(-1);
  if (!last) return null;
  const of = before.filter(one => changes(one, last).length === 0);
  const difference = median(now) - median(of);
  const least = Math.max(LEAST_BYTES, LEAST_SHARE * median(of));
  if (Math.abs(difference) < least) return null;
  const names = changes(last, newest).map(([name, from, to]) => `${name} ${to} (from ${from})`);
  const amount = formatBytes(Math.abs(difference));
  return `after ${names.join(', ')} this config needs ${amount} ${difference > 0 ? 'more' : 'less'}`;
}

/** Packages whose version is known on both sides and differs. */
function changes(from: Measurement, to: Measurement): readonly (readonly [string, string, string])[] {
  return Object.entries(to.versions).flatMap(([name, version]) => {
    const before = from.versions[name];
    return before === undefined || before === version || name === 'python'
      ? []
      : [[name, before, version] as const];
  });
}

export function median(measurements: readonly Measurement[]): number {
  const sorted = measurements.map(({ bytes }) => bytes).sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}
