/** Compares releases by their numbers: `0.9.6` < `0.10`; suffixes as in `1.10.0.dev0` do not count. */
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
