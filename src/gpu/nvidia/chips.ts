import type { GpuDevice } from '../device';

/** Chips whose GPU has no memory of its own: Grace-Blackwell in desktops, Jetson modules, laptops on Arm. */
const SHARING = /\bGB10\b|\bN1X?\b|\(nvgpu\)|\b(?:Tegra|Orin|Xavier|Thor)\b/;

/** A total of its own is a card's; without one, the name tells. */
export function memoryKindOf(name: string | null, memoryTotalMiB: number | null): GpuDevice['memoryKind'] {
  if (memoryTotalMiB !== null) return 'dedicated';
  return name !== null && SHARING.test(name) ? 'unified' : 'unknown';
}
