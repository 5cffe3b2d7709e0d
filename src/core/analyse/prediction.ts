import type { Evidence } from '../learn/measurement';

/** The predicted memory of the active run on each GPU of the target, as nvidia-smi would show it. */
export interface Prediction {
  /** The config's file name, as shown in its tab. */
  readonly config: string;
  /** The file's address, in the form that commands accept. */
  readonly file: string;
  readonly run: string;
  readonly lowMiB: number;
  readonly expectedMiB: number;
  readonly highMiB: number;
  /** The evidence in addition to the computation; null: none. */
  readonly basis: Evidence['kind'] | null;
  /** The GPU that it was computed for; null: no particular GPU. */
  readonly target: string | null;
}
