/** A reading of one GPU of a job. Null: not read. */
export interface JobGpuSample {
  readonly uuid: string;
  /** What the job's own processes hold on it. */
  readonly heldBytes: number | null;
  /** What all processes hold on it. */
  readonly usedBytes: number | null;
  readonly utilPct: number | null;
  readonly tempC: number | null;
  readonly powerW: number | null;
}

/**
 * A reading of a job's GPUs, or a summary of a time span that ends then: the maximum of memory and temperature, the
 * mean of the rest.
 */
export interface JobSample {
  readonly timeMs: number;
  /** The number of the array task that these GPUs belong to; absent: not an array. */
  readonly task?: string;
  readonly gpus: readonly JobGpuSample[];
}

/** Parses a file of samples, one per line. A line that a crash truncated is skipped. */
export function samplesIn(text: string): readonly JobSample[] {
  return text.split('\n').flatMap(line => {
    if (line === '') return [];
    try {
      const value = JSON.parse(line) as Partial<JobSample> | null;
      return typeof value?.timeMs === 'number' && Array.isArray(value.gpus) ? [value as JobSample] : [];
    } catch {
      return [];
    }
  });
}

/** Merges samples, oldest first, into one. */
export function joined(samples: readonly JobSample[]): JobSample {
  const uuids = new Set(samples.flatMap(({ gpus }) => gpus.map(({ uuid }) => uuid)));
  const gpus = [...uuids].map(uuid => {
    const own = samples.flatMap(sample => sample.gpus.filter(one => one.uuid === uuid));
    const known = (measure: keyof Omit<JobGpuSample, 'uuid'>): readonly number[] =>
      own.map(one => one[measure]).filter(value => value !== null);
    return {
      uuid,
      heldBytes: most(known('heldBytes')),
      usedBytes: most(known('usedBytes')),
      utilPct: mean(known('utilPct')),
      tempC: most(known('tempC')),
      powerW: mean(known('powerW')),
    };
  });
  return { timeMs: samples.at(-1)?.timeMs ?? 0, gpus };
}

/** Longer than the interval between readings of one task's GPUs. */
const STRETCH_MS = 10_000;

/** Array tasks are read separately: all readings within one time span become one sample of the whole array. */
export function samplesOfTasks(samples: readonly JobSample[]): readonly JobSample[] {
  if (samples.every(({ task }) => task === undefined)) return samples;
  const stretches = new Map<number, JobSample[]>();
  for (const sample of samples.toSorted((a, b) => a.timeMs - b.timeMs)) {
    const stretch = Math.floor(sample.timeMs / STRETCH_MS);
    const together = stretches.get(stretch) ?? [];
    together.push(sample);
    stretches.set(stretch, together);
  }
  return [...stretches.values()].map(joined);
}

const most = (values: readonly number[]): number | null => (values.length === 0 ? null : Math.max(...values));

function mean(values: readonly number[]): number | null {
  if (values.length === 0) return null;
  return Math.round((10 * values.reduce((sum, value) => sum + value, 0)) / values.length) / 10;
}
