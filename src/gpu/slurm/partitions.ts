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
