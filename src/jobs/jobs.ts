import type { KeptSecrets } from './secrets';
import type { ProgressState } from '../core/output/progress/progress';
import type { FilesToBring, OutputPiece } from './engine';
import type { JobPlace, JobRecord, JobRequest } from './job';
import type { JobSample } from './samples';
import type { PartProgress } from './shards/partsFile';
import type { Signal } from '../core/signal';

/** What is known of a job while someone looks at it. */
export interface JobView {
  readonly record: JobRecord;
  /** Read from its output; null before anything was recognised. */
  readonly progress: ProgressState | null;
  /** Of a job that was spread: how far each part is, in their order. None where it has not said. */
  readonly parts: readonly (PartProgress | null)[];
}

/** All jobs of this user on this machine's disk, whichever window or command started them. */
export interface Jobs {
  list(): Promise<readonly JobRecord[]>;
  get(id: string): Promise<JobRecord | null>;
  /** Ids of jobs whose records cannot be read: every other verb passes over them. */
  odd(): Promise<readonly string[]>;
  /** Lines for the screen before the start. */
  plan(request: JobRequest, signal: Signal): Promise<readonly string[]>;
  /** Writes the record, then starts it or lets it wait in the queue. */
  start(request: JobRequest, secrets: Readonly<Record<string, string>>, signal: Signal): Promise<JobRecord>;
  /** What was kept of a job's secrets, for another start; null where there are none. */
  secrets(id: string): Promise<KeptSecrets | null>;
  /** Up the ladder until it is over, then says whether the GPUs' memory came back, or who still holds it. */
  stop(id: string, signal: Signal): Promise<JobRecord>;
  output(id: string, offset: number, signal: Signal): Promise<OutputPiece>;
  /** What its GPUs showed while it ran, the oldest first; none where no one watched them. */
  samples(id: string, signal: Signal): Promise<readonly JobSample[]>;
  /** Brings files to where jobs of a place can share them; the folder there. */
  bring(place: JobPlace, files: FilesToBring, signal: Signal): Promise<string>;
  /** Takes away what was brought to that folder. */
  takeBack(place: JobPlace, folder: string, signal: Signal): Promise<void>;
  /** Brings what a job wrote into a folder here; the names. None where it is here already. */
  fetch(id: string, into: string, signal: Signal): Promise<readonly string[]>;
  /**
   * Takes a job away: what it left where it ran, then its record and output. Only of one that is over. What it wrote elsewhere
   * goes with the copy of its folder, so without `force` it must have been fetched.
   */
  clean(id: string, force: boolean, signal: Signal): Promise<void>;
  /** Follows one job while it is held: state, progress. The function ends it. */
  follow(id: string, listener: (view: JobView) => void): () => void;
  /** Hears of jobs that come, change and go, of other windows too. */
  onChange(listener: () => void): () => void;
  dispose(): void;
}
