import type { JobSample } from './samples';
import type { JobExit, JobPlace, JobRecord, JobRequest, JobState } from './job';
import type { Signal } from '../core/signal';

/** An error for the user: what happened and what to do. `text` is the tool's own last line. */
export class JobError extends Error {
  override readonly name = 'JobError';
  /** The job that could not be started; null: not about a start. */
  job: string | null = null;

  constructor(
    readonly kind:
      | 'refused'
      | 'unreachable'
      | 'no-tool'
      | 'no-program'
      | 'gone'
      | 'bad-record'
      | 'disk'
      | 'busy',
    message: string,
    readonly text: string | null = null,
  ) {
    super(message);
  }
}

/** An engine's view of a job. Null fields: unknown. */
export interface JobSighting {
  readonly state: JobState;
  readonly message: string | null;
  readonly startedMs: number | null;
  readonly endedMs: number | null;
  readonly exit: JobExit | null;
  /** The scheduler's machines, as in a job's record; absent: unknown. */
  readonly machines?: Readonly<Record<string, string>>;
}

/** A sighting of a job that the engine does not know: nothing but its state. */
export const unseen = (state: JobState, message: string): JobSighting => ({
  state,
  message,
  startedMs: null,
  endedMs: null,
  exit: null,
});

/** A piece of a job's output, starting at the byte `offset` of the whole. */
export interface OutputPiece {
  readonly offset: number;
  readonly bytes: Uint8Array;
}

/** Files of a folder, as paths relative to it with slashes; null: all that its ignore rules allow. */
export interface FilesToBring {
  readonly folder: string;
  readonly files: readonly string[] | null;
}

export type StopRung = 'interrupt' | 'terminate' | 'kill';

/** One way to run a job. Every call ends when its signal is aborted; none keeps the process alive. */
export interface JobEngine {
  readonly id: JobPlace['engine'];
  /**
   * What the engine does in addition to the command (files copied, script submitted), one line each; throws a
   * JobError if the job cannot run there.
   */
  plan(request: JobRequest, signal: Signal): Promise<readonly string[]>;
  /**
   * Starts a job and returns the handle that finds it again. `note` stores an early handle before anything
   * irreversible, so that a crash in between loses no job. `secrets` are values by name.
   */
  start(
    record: JobRecord,
    secrets: Readonly<Record<string, string>>,
    note: (handle: NonNullable<JobRecord['handle']>) => Promise<void>,
    signal: Signal,
  ): Promise<NonNullable<JobRecord['handle']>>;
  /** The job's current state. */
  look(record: JobRecord, signal: Signal): Promise<JobSighting>;
  /** The output from a byte on; an empty piece if nothing is new. */
  read(record: JobRecord, offset: number, signal: Signal): Promise<OutputPiece>;
  /** The readings of its GPUs while it ran; absent if they are not watched. */
  samples?(record: JobRecord, signal: Signal): Promise<readonly JobSample[]>;
  /** Sends one rung of the stop ladder to the whole process group. */
  stop(record: JobRecord, rung: StopRung, signal: Signal): Promise<void>;
  /**
   * How many processes of a started job still run, whether its end is written or not; null before its start. Absent
   * if unknown.
   */
  leftOf?(record: JobRecord): Promise<number | null>;
  /**
   * Copies files to where several jobs of a place can use them, under `id`; returns the folder there. Absent if
   * jobs can use this machine's folders.
   */
  bring?(place: JobPlace, id: string, files: FilesToBring, signal: Signal): Promise<string>;
  /** Removes the files in a folder that `bring` returned; absent if there are none. */
  takeBack?(place: JobPlace, folder: string, signal: Signal): Promise<void>;
  /** Copies results to a local folder; absent if they are local already. */
  fetch?(record: JobRecord, into: string, signal: Signal): Promise<readonly string[]>;
  /** Removes what the job left behind (a copied folder); absent if there is nothing. */
  clean?(record: JobRecord, signal: Signal): Promise<void>;
}
