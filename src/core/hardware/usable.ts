import type { GpuFacts } from './gpu';

/**
 * Memory that NVIDIA's driver reserves: a fixed part and a share of the total. Least squares over `memory.reserved`
 * (or total − torch's total) of 21 cards from 8 to 284 GB under drivers 515 to 610, docs/catalogs.md has the table;
 * the residuals are within ±115 MiB except for A100 80 GB (285 more), which has its own measurement.
 */
const KEPT_SINCE_TURING = { fixedMiB: 400, share: 0.0023 };

/** The same over 12 Pascal and Volta cards, whose older drivers show a total without the reserved part. */
const KEPT_BEFORE_TURING = { fixedMiB: 45, share: 0.0055 };

const TURING = 7.5;

/**
 * What the system keeps of the memory that it shares with an NVIDIA GPU, as a share of the size it is sold with: 8 GB
 * Jetsons show 7,620 to 7,860 MiB, DGX Spark about 119 to 122 of 128 GiB (MemTotal). The most of these.
 */
const KEPT_BY_SYSTEM = { fixedMiB: 0, share: 0.07 };

/** Metal's recommendedMaxWorkingSetSize: two thirds of the memory up to 36 GB, three quarters above. */
const APPLE = { smallMiB: 36 * 1024, smallShare: 2 / 3, largeShare: 3 / 4 };

/**
 * Memory (MiB) of `totalMiB` that programs can use, contexts included: as measured on this card, else by its
 * vendor's rule. Without a known rule, all of it; an unnamed card counts as a recent NVIDIA card.
 */
export function usableMiB(gpu: GpuFacts | null, totalMiB: number): number {
  if (gpu === null) return less(totalMiB, KEPT_SINCE_TURING);
  if (gpu.usableMiB !== null && gpu.memoryMiB === totalMiB) return gpu.usableMiB;
  if (gpu.vendor === 'Apple') {
    return Math.floor(totalMiB * (totalMiB <= APPLE.smallMiB ? APPLE.smallShare : APPLE.largeShare));
  }
  if (gpu.vendor !== 'NVIDIA') return totalMiB;
  // A machine's own total is already without it.
  if (gpu.unified) return gpu.memoryMiB === totalMiB ? less(totalMiB, KEPT_BY_SYSTEM) : totalMiB;
  const isRecent = Number(gpu.computeCapability ?? TURING) >= TURING;
  return less(totalMiB, isRecent ? KEPT_SINCE_TURING : KEPT_BEFORE_TURING);
}

function less(totalMiB: number, kept: { readonly fixedMiB: number; readonly share: number }): number {
  return Math.max(0, Math.floor(totalMiB - kept.fixedMiB - kept.share * totalMiB));
}
