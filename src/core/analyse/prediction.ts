import type { Evidence } from '../learn/measurement';

/** What the run in front is predicted to take on each GPU it is judged against, as nvidia-smi would show it. */
export interface Prediction {
  /** The config's file name, as its tab shows it. */
  readonly config: string;
  /** Its address, as commands take it. */
  readonly file: string;
  readonly run: string;
  readonly lowMiB: number;
  readonly expectedMiB: number;
  readonly highMiB: number;
  /** What it rests on in addition to the computation; null: on that alone. */
  readonly basis: Evidence['kind'] | null;
  /** The GPU it was computed for; null: none in particular. */
  readonly target: string | null;
}
