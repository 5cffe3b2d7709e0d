import type { MetricSeries } from '../../core/output/progress/series';
import type { GpuSeries } from '../../jobs/gpuSeries';
import type { JobState } from '../../jobs/job';

/** A part of a job that was spread over other machines. */
export interface JobPart {
  readonly id: string;
  /** `3/16`. */
  readonly name: string;
  /** Host and GPU. */
  readonly on: string;
  readonly state: JobState;
  readonly words: string;
  readonly share: number | null;
}

/** A job as the page shows it: words are made where they are made for all. */
export interface JobCard {
  readonly id: string;
  readonly name: string;
  /** `this machine`, `gpu-box`. */
  readonly place: string;
  readonly state: JobState;
  readonly stateWords: string;
  readonly isOver: boolean;
  /** How far it is, 0–1; null: its output does not say. */
  readonly share: number | null;
  /** `1,240 of 5,000 · loss 1.234 · 12 min left`. */
  readonly words: string;
  /** Of the same metric as what is measured. */
  readonly predictedBytes: number | null;
  readonly measuredBytes: number | null;
  /** Who measured what. */
  readonly measuredBy: string | null;
  readonly hasConfig: boolean;
  /** What it wrote lies elsewhere, and can be brought here. */
  readonly canFetch: boolean;
  readonly parts: readonly JobPart[];
}

/** All that is drawn of a job; null: nothing is known. */
export interface JobCurves {
  readonly output: MetricSeries | null;
  readonly gpus: GpuSeries | null;
  /** On a GPU, drawn across its memory. */
  readonly predictedBytes: number | null;
}

export const JOB_ACTIONS = ['stop', 'resume', 'output', 'config', 'fetch'] as const;

export type JobAction = (typeof JOB_ACTIONS)[number];

/** What the extension tells the page of jobs. */
export type JobsToPage =
  | { readonly type: 'jobs'; readonly jobs: readonly JobCard[] }
  | { readonly type: 'metrics'; readonly curves: Readonly<Record<string, JobCurves>> };

/** What the page asks about jobs. */
export type JobsFromPage =
  | { readonly type: 'ready' }
  /** These are charted now; others are not. */
  | { readonly type: 'metrics'; readonly jobs: readonly string[] }
  | { readonly type: 'job'; readonly action: JobAction; readonly job: string };

/** The jobs that the panel shows; another room has them. */
export interface PanelJobs {
  cards(): readonly JobCard[];
  onChange(listener: () => void): () => void;
  curves(job: string): Promise<JobCurves>;
  act(action: JobAction, job: string): void;
}

const MOST_JOBS = 200;

/** A message of the page; null when it is none about jobs. */
export function jobsFromPage(message: unknown): JobsFromPage | null {
  const { type, jobs, job, action } = (message ?? {}) as Readonly<Record<string, unknown>>;
  if (type === 'ready') return { type };
  if (type === 'metrics' && Array.isArray(jobs)) {
    return { type, jobs: jobs.filter(id => typeof id === 'string').slice(0, MOST_JOBS) };
  }
  const known = JOB_ACTIONS.find(one => one === action);
  return type === 'job' && typeof job === 'string' && known ? { type, action: known, job } : null;
}
