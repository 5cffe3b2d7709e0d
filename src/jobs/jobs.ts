import type { KeptSecrets } from './secrets';
import type { ProgressState } from '../core/output/progress/progress';
import type { FilesToBring, OutputPiece } from './engine';
import type { JobPlace, JobRecord, JobRequest } from './job';
import type { JobSample } from './samples';
import type { PartProgress } from './shards/partsFile';
import type { Signal } from '../core/signal';

/** What is known of a followed job. */
export interface JobView {
  readonly record: JobRecord;
  /** From its output; null until something was recognized. */
  readonly progress: ProgressState | null;
  /** For a spread job: the progress of each part, in order. Empty if not reported. */
  readonly parts: readonly (PartProgress | null)[];
}

/** All jobs of this user on this machine's disk, whichever window or command started them. */
export interface Jobs {
  list(): Promise<readonly JobRecord[]>;
  get(id: string): Promise<JobRecord | null>;
  /** Ids of jobs whose records cannot be read: all other methods skip them. */
  odd(): Promise<readonly string[]>;
  /** Lines for the start screen. */
  plan(request: JobRequest, signal: Signal): Promise<readonly string[]>;
  /** Writes the record, then starts the job or queues it. */
  start(request: JobRequest, secrets: Readonly<Record<string, string>>, signal: Signal): Promise<JobRecord>;
  /** The stored secrets of a job, for a restart; null if there are none. */
  secrets(id: string): Promise<KeptSecrets | null>;
  /**
   * Climbs the stop ladder until the job is over, then says whether the GPUs' memory was freed, or who still holds
   * it.
   */
  stop(id: string, signal: Signal): Promise<JobRecord>;
  output(id: string, offset: number, signal: Signal): Promise<OutputPiece>;
  /** The readings of its GPUs while it ran, oldest first; empty if they were not watched. */
  samples(id: string, signal: Signal): Promise<readonly JobSample[]>;
  /** Copies files to where jobs of a place can share them; returns the folder there. */
  bring(place: JobPlace, files: FilesToBring, signal: Signal): Promise<string>;
  /** Removes the files that `bring` copied to that folder. */
  takeBack(place: JobPlace, folder: string, signal: Signal): Promise<void>;
  /** Copies a job's results to a local folder; returns their names. Empty if they are local already. */
  fetch(id: string, into: string, signal: Signal): Promise<readonly string[]>;
  /**
   * Removes a job: its files where it ran, then its record and output. Only for a finished job. Results elsewhere
   * are removed with the copy of its folder, so without `force` they must have been fetched.
   */
  clean(id: string, force: boolean, signal: Signal): Promise<void>;
  /** Follows a job's state and progress until the returned function is called. */
  follow(id: string, listener: (view: JobView) => void): () => void;
  /** Notifies of jobs that are added, changed or removed, also by other windows. */
  onChange(listener: () => void): () => void;
  dispose(): void;
}
