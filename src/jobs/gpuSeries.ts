import { ofAllTasks } from './samples';
import type { JobGpuSample, JobSample } from './samples';

/** At each time the memory on a job's fullest GPU, and the mean of their load; null where it was not read. */
export interface GpuSeries {
  readonly timesMs: readonly number[];
  readonly memoryBytes: readonly (number | null)[];
  /** Whose memory it is: what the job itself held, or all that was used on the GPU. */
  readonly memoryOf: 'job' | 'all';
  readonly utilPct: readonly (number | null)[];
}

/** More points than a chart has pixels show nothing more. */
const MOST_POINTS = 400;

/**
 * What the job itself held where that is known, else what was used in all: in a container no one can tell whose it is. Null
 * where its GPUs were never seen. Of many samples, the fullest of each stretch; of an array, the fullest of its tasks.
 */
export function gpuSeriesOf(seen: readonly JobSample[]): GpuSeries | null {
  const samples = ofAllTasks(seen);
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
