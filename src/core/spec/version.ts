import type { Framework } from './runSpec';

/** Compares releases numerically: `0.9.6` < `0.10`; ignores suffixes as in `1.10.0.dev0`. */
export function compareReleases(a: string, b: string): number {
  const left = numbers(a);
  const right = numbers(b);
  for (let i = 0; i < Math.max(left.length, right.length); i++) {
    const difference = (left[i] ?? 0) - (right[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

function numbers(release: string): number[] {
  return (/^\d+(?:\.\d+)*/.exec(release)?.[0] ?? '0').split('.').map(Number);
}

export interface Release<T> {
  readonly since: string;
  readonly value: T;
}

/** The value of the newest release in a table that is not newer than `release`. */
export function inRelease<T>(table: readonly [Release<T>, ...Release<T>[]], release: string): T {
  return (table.find(({ since }) => compareReleases(release, since) >= 0) ?? table[0]).value;
}

/** True if a release is older than that of a change; without a change it is false. */
export function isBefore(change: string | undefined, release: string): boolean {
  return change !== undefined && compareReleases(release, change) < 0;
}

export function releaseOf({ name, version, libraries }: Framework, library: string): string | null {
  return libraries?.[library] ?? (name === library ? version : null);
}

/** A name as package indexes compare it (PEP 503). */
export const packageName = (name: string): string => name.toLowerCase().replaceAll(/[-_.]+/g, '-');
