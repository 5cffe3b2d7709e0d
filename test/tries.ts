/**
 * How often a property is tried: `usual` times, which is quick, or HEADROOM_RUNS times as often (`npm run test:all` has
 * it at 10).
 */
export const tries = (usual: number): number =>
  Math.max(1, Math.round(usual * Number(process.env['HEADROOM_RUNS'] ?? 1)));
