const times = Number(process.env['HEADROOM_RUNS'] ?? 1);

/**
 * How often a property is tried: `usual` times, which is quick, or HEADROOM_RUNS times as often (10 in `npm run
 * test:all`).
 */
export const tries = (usual: number): number => Math.max(1, Math.round(usual * times));

/** Every nth entry of a list, which is quick; with HEADROOM_RUNS that many times more, up to all. */
export function someOf<T>(list: readonly T[], every: number): readonly T[] {
  const step = Math.max(1, Math.round(every / times));
  return list.filter((_, i) => i % step === 0);
}
