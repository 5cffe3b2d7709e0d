const times = Number(process.env['HEADROOM_RUNS'] ?? 1);

/**
 * How often a property is tried: `usual` times, which is quick, or HEADROOM_RUNS times as often (`npm run test:all` has
 * it at 10).
 */
export const tries = (usual: number): number => Math.max(1, Math.round(usual * times));

/** Every nth of a list, which is quick; with HEADROOM_RUNS so many times as many, up to all of it. */
export function someOf<T>(list: readonly T[], every: number): readonly T[] {
  const step = Math.max(1, Math.round(every / times));
  return list.filter((_, i) => i % step === 0);
}
