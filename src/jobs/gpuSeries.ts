import { samplesOfTasks } from './samples';
import type { JobGpuSample, JobSample } from './samples';

/** The memory on a job's fullest GPU over time, and the mean of its GPUs' load; null if not read. */
export interface GpuSeries {
  readonly timesMs: readonly number[];
  readonly memoryBytes: readonly (number | null)[];
  /** Whose memory it is: the job's own, or all memory in use on the GPU. */
  readonly memoryOf: 'job' | 'all';
  readonly utilPct: readonly (number | null)[];
}

/** A chart has no pixels for more points. */
const MOST_POINTS = 400;

/**
 * The memory that the job itself held if that is known, else all memory in use: in a container the owner of memory
 * is unknown. Null if its GPUs were never read. Many samples are reduced to the fullest of each time span; for an
 * array, the fullest of its tasks.
 */
export function gpuSeriesOf(seen: readonly JobSample[]): GpuSeries | null {
  const samples = samplesOfTasks(seen);
  if (samples.length === 0) return null;
  const isOwn = samples.some(({ gpus }) => gpus.some(({ heldBytes }) => heldBytes !== null));
  const bytes = (gpu: JobGpuSample): number | null => (isOwn ? gpu.heldBytes : gpu.usedBytes);
  const points = samples.map(({ timeMs, gpus }) => ({
    timeMs,
    memoryBytes: most(gpus.map(bytes)),
    utilPct: mean(gpus.map(({ utilPct }) => utilPct)),
  }));
  const stretch = Math.max(1, Math.ceil(points.length / MOST_POINTS));
  const kept = Array.from({ length: Math.ceil(points.length / stretch) }, (_, i) => {
    const part = points.slice(i * stretch, (i + 1) * stretch);
    return {
      timeMs: part.at(-1)?.timeMs ?? 0,
      memoryBytes: most(part.map(one => one.memoryBytes)),
      utilPct: mean(part.map(one => one.utilPct)),
    };
  });
  return {
    timesMs: kept.map(({ timeMs }) => timeMs),
    memoryBytes: kept.map(({ memoryBytes }) => memoryBytes),
    memoryOf: isOwn ? 'job' : 'all',
    utilPct: kept.map(({ utilPct }) => utilPct),
  };
}

const known = (values: readonly (number | null)[]): readonly number[] =>
  values.filter(value => value !== null);

function most(values: readonly (number | null)[]): number | null {
  const numbers = known(values);
  return numbers.length === 0 ? null : Math.max(...numbers);
}

function mean(values: readonly (number | null)[]): number | null {
  const numbers = known(values);
  return numbers.length === 0 ? null : numbers.reduce((sum, value) => sum + value, 0) / numbers.length;
}
