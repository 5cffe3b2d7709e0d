import type { MetricSeries } from '../../core/output/progress/series';
import type { GpuSeries } from '../../jobs/gpuSeries';
import type { JobState } from '../../jobs/job';

/** A part of a job that is spread over several machines. */
export interface JobPart {
  readonly id: string;
  /** `3/16`. */
  readonly name: string;
  /** Its host and GPU. */
  readonly on: string;
  readonly state: JobState;
  readonly words: string;
  readonly share: number | null;
}

/** A job as the page shows it, with its texts already formatted. */
export interface JobCard {
  readonly id: string;
  readonly name: string;
  /** `this machine`, `gpu-box`. */
  readonly place: string;
  readonly state: JobState;
  readonly stateWords: string;
  readonly isOver: boolean;
  /** Progress, 0–1; null: its output does not report it. */
  readonly share: number | null;
  /** `1,240 of 5,000 · loss 1.234 · 12 min left`. */
  readonly words: string;
  /** In the same metric as the measured value. */
  readonly predictedBytes: number | null;
  readonly measuredBytes: number | null;
  /** The source of the measured value. */
  readonly measuredBy: string | null;
  readonly hasConfig: boolean;
  /** Its results are on another machine and can be fetched. */
  readonly canFetch: boolean;
  readonly parts: readonly JobPart[];
}

/** All curves of a job; null: unknown. */
export interface JobCurves {
  readonly output: MetricSeries | null;
  readonly gpus: GpuSeries | null;
  /** For a GPU, drawn across its memory chart. */
  readonly predictedBytes: number | null;
}

const JOB_ACTIONS = ['stop', 'resume', 'output', 'config', 'fetch'] as const;

export type JobAction = (typeof JOB_ACTIONS)[number];

/** Messages about jobs from the extension to the page. */
export type JobsToPage =
  | { readonly type: 'jobs'; readonly jobs: readonly JobCard[] }
  | { readonly type: 'metrics'; readonly curves: Readonly<Record<string, JobCurves>> };

/** Messages about jobs from the page. */
export type JobsFromPage =
  | { readonly type: 'ready' }
  /** The jobs with charts now; replaces the earlier list. */
  | { readonly type: 'metrics'; readonly jobs: readonly string[] }
  | { readonly type: 'job'; readonly action: JobAction; readonly job: string };

/** The jobs that the panel shows; `src/tasks` implements it. */
export interface PanelJobs {
  cards(): readonly JobCard[];
  onChange(listener: () => void): () => void;
  curves(job: string): Promise<JobCurves>;
  act(action: JobAction, job: string): void;
}

const MOST_JOBS = 200;

/** A message of the page; null if it is not about jobs. */
export function jobsFromPage(message: unknown): JobsFromPage | null {
  const { type, jobs, job, action } = (message ?? {}) as Readonly<Record<string, unknown>>;
  if (type === 'ready') return { type };
  if (type === 'metrics' && Array.isArray(jobs)) {
    return { type, jobs: jobs.filter(id => typeof id === 'string').slice(0, MOST_JOBS) };
  }
  const known = JOB_ACTIONS.find(one => one === action);
  return type === 'job' && typeof job === 'string' && known ? { type, action: known, job } : null;
}
