/** What a GPU of a job showed at one time. Null: it was not read. */
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

/** A job's GPUs at one time, or over a stretch of time that ends then: the most memory and heat of it, the mean of the rest. */
export interface JobSample {
  readonly timeMs: number;
  /** Number of the task of an array whose GPUs these are; absent: it is no array. */
  readonly task?: string;
  readonly gpus: readonly JobGpuSample[];
}

/** The samples in a file of them, a line each. A line that a crash cut short is passed over. */
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

/** Some samples, the oldest first, as one. */
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

/** Longer than from one look at a task's GPUs to the next. */
const STRETCH_MS = 10_000;

/** Tasks of an array are looked at each for itself: what was seen of any in one stretch of time is one sample of the whole. */
export function ofAllTasks(samples: readonly JobSample[]): readonly JobSample[] {
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
