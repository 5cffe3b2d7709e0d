/** Reproducible random numbers: the seed is printed, and HEADROOM_SEED sets one. */
export function seeded(what: string): () => number {
  const given = Number(process.env['HEADROOM_SEED'] ?? NaN);
  const seed = Number.isInteger(given) ? given : Math.floor(Math.random() * 2 ** 31);
  console.log(`      ${what}: seed ${seed}`);
  let state = seed;
  // mulberry32
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}
