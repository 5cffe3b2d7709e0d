/** A partition that this user sees. */
export interface Partition {
  readonly name: string;
  /** `up`, `down`, `drain`, `inact`. */
  readonly availability: string;
  /** The longest a job may run, as Slurm writes it (`1-00:00:00`); null: no limit. */
  readonly timeLimit: string | null;
}

/** Partition, availability and time limit, one a line, without head. */
export const PARTITIONS = ['-h', '-o', '%R|%a|%l'] as const;

/** What sinfo printed with these arguments; one line for each set of alike nodes, so a partition may come again. */
export function parsePartitions(stdout: string): readonly Partition[] {
  const found = new Map<string, Partition>();
  for (const line of stdout.split(/\r?\n/)) {
    const [name, availability, limit] = line.split('|').map(word => word.trim());
    if (!name || !availability || limit === undefined || found.has(name)) continue;
    const isLimited = /\d/.test(limit);
    found.set(name, { name, availability, timeLimit: isLimited ? limit : null });
  }
  return [...found.values()];
}

const GIB = 1024;

/** A part of a GPU: `1g.10gb`, `a100_3g.40gb`. */
const SLICE = /\d+g\.\d+gb/i;

/**
 * Memory that a type's own name states (`a100_80gb`, `nvidia_a100_80gb_pcie`); null where it states none, and for MIG,
 * whose names round. The names are the cluster's own: what `a100` means there, no one says.
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
