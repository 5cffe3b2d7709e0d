import type { GpuFacts } from './gpu';

/** `MIG 1g.10gb`, `NVIDIA H100 80GB HBM3 MIG 1c.3g.40gb`: a compute slice has its GPU slice's memory. */
const PROFILE = /(?:^|[\s(-])(?:mig[\s-]+)?(?:\d+c\.)?(\d+g\.\d+gb(?:\+[\w.]+)*)\)?$/i;

/** Splits a name into the GPU (may be '') and the MIG profile; null if it names no profile. */
export function migProfileOf(name: string): { readonly parent: string; readonly profile: string } | null {
  const found = PROFILE.exec(name.trim());
  if (!found) return null;
  const parent = name
    .trim()
    .slice(0, found.index)
    .replace(/(?<![\s-])[\s-]+mig$/i, '');
  return { parent: /^mig$/i.test(parent) ? '' : parent, profile: (found[1] ?? '').toLowerCase() };
}

/** A slice of a GPU as a separate device; null if the GPU has no such profile. */
export function migSlice(gpu: GpuFacts, profile: string): GpuFacts | null {
  const plain = profile.replace(/\+.*/s, '');
  const slice = gpu.mig.find(mig => mig.profile === plain);
  if (!slice) return null;
  return {
    ...gpu,
    name: `${gpu.name} MIG ${profile}`,
    label: `${gpu.label} MIG ${profile}`,
    aliases: [],
    memoryMiB: slice.memoryMiB,
    memoryBasis: slice.memoryMiB === null ? null : gpu.memoryBasis,
    marketingGB: Number(/\.(\d+)gb/.exec(plain)?.[1]),
    otherTotalsMiB: [],
    // The total of a slice already excludes the memory that the driver reserves.
    usableMiB: slice.memoryMiB,
    mig: [],
  };
}
