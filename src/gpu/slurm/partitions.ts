/** A partition that this user sees. */
export interface Partition {
  readonly name: string;
  /** `up`, `down`, `drain`, `inact`. */
  readonly availability: string;
  /** The time limit of jobs in Slurm's notation (`1-00:00:00`); null: no limit. */
  readonly timeLimit: string | null;
}

/** Partition, availability and time limit, one per line, without a header. */
export const PARTITIONS = ['-h', '-o', '%R|%a|%l'] as const;

/**
 * Parses sinfo's output with these arguments; it has one line per set of similar nodes, so a partition may repeat.
 */
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

/** A slice of a GPU: `1g.10gb`, `a100_3g.40gb`. */
const SLICE = /(?<!\d)\d+g\.\d+gb/i;

/**
 * The memory in a type's name (`a100_80gb`, `nvidia_a100_80gb_pcie`); null if it has none, and for MIG, whose names
 * are rounded. The names are the cluster's own: the meaning of a plain `a100` is unknown.
 */
export function typeMemoryMiB(type: string): number | null {
  if (SLICE.test(type)) return null;
  const stated = /(?:^|[^a-z0-9])(\d{1,3})\s?gi?b?(?![a-z0-9])/i.exec(type)?.[1];
  return stated === undefined ? null : Number(stated) * GIB;
}

/**
 * The name for a catalog lookup: `nvidia_a100_80gb_pcie` → `nvidia a100 80gb pcie`, `a100_1g.10gb` → `a100 MIG
 * 1g.10gb`.
 */
export function typeName(type: string): string {
  const words = type.replaceAll('_', ' ');
  return words.replace(SLICE, slice => `MIG ${slice}`).replace(/\bMIG MIG\b/i, 'MIG');
}
