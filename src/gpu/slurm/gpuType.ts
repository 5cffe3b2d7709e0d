const GIB = 1024;

/** A part of a GPU: `1g.10gb`, `a100_3g.40gb`. */
const SLICE = /\d+g\.\d+gb/i;

/**
 * Memory that a type's own name states (`a100_80gb`, `nvidia_a100_80gb_pcie`); null where it states none, and for MIG,
 * whose names round. The names are the cluster's own: what `a100` means there, nobody says.
 */
export function typeMemoryMiB(type: string): number | null {
  if (SLICE.test(type)) return null;
  const stated = /(?:^|[^a-z0-9])(\d{1,3})\s?gi?b?(?![a-z0-9])/i.exec(type)?.[1];
  return stated === undefined ? null : Number(stated) * GIB;
}

/** As a catalog may know it: `nvidia_a100_80gb_pcie` → `nvidia a100 80gb pcie`, `a100_1g.10gb` → `a100 MIG 1g.10gb`. */
export function typeName(type: string): string {
  const words = type.replaceAll('_', ' ');
  return words.replace(SLICE, slice => `MIG ${slice}`).replace(/\bMIG MIG\b/i, 'MIG');
}
