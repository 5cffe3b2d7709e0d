import type { GpuFacts } from './gpu';

/**
 * What NVIDIA's driver keeps of a card, a part that is fixed and a part that grows with the memory. Least squares over
 * `memory.reserved` (or total − torch's total) of 21 cards from 8 to 284 GB under drivers 515 to 610, docs/catalogs.md
 * has the table; the residuals are within ±115 MiB but for A100 80 GB (285 more), which is measured itself.
 */
const KEPT_SINCE_TURING = { fixedMiB: 400, share: 0.0023 };

/** The same over 12 cards of Pascal and Volta, whose older drivers show the total without what they keep. */
const KEPT_BEFORE_TURING = { fixedMiB: 45, share: 0.0055 };

const TURING = 7.5;

/** Metal's recommendedMaxWorkingSetSize: two thirds of the memory up to 36 GB, three quarters above. */
const APPLE = { smallMiB: 36 * 1024, smallShare: 2 / 3, largeShare: 3 / 4 };

/**
 * Memory (MiB) that programs can have of `totalMiB`, contexts included: as measured on this card, else by its vendor's
 * rule. Where no rule is known nothing is taken off; an unnamed card is taken for a recent NVIDIA one.
 */
export function usableMiB(gpu: GpuFacts | null, totalMiB: number): number {
  if (gpu === null) return less(totalMiB, KEPT_SINCE_TURING);
  if (gpu.usableMiB !== null && gpu.memoryMiB === totalMiB) return gpu.usableMiB;
  if (gpu.vendor === 'Apple') {
    return Math.floor(totalMiB * (totalMiB <= APPLE.smallMiB ? APPLE.smallShare : APPLE.largeShare));
  }
  if (gpu.vendor !== 'NVIDIA' || gpu.unified) return totalMiB;
  const isRecent = Number(gpu.computeCapability ?? TURING) >= TURING;
  return less(totalMiB, isRecent ? KEPT_SINCE_TURING : KEPT_BEFORE_TURING);
}

function less(totalMiB: number, kept: { readonly fixedMiB: number; readonly share: number }): number {
  return Math.max(0, Math.floor(totalMiB - kept.fixedMiB - kept.share * totalMiB));
}
