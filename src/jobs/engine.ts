import type { JobSample } from './samples';
import type { JobExit, JobPlace, JobRecord, JobRequest, JobState } from './job';
import type { Signal } from '../core/signal';

/** What went wrong, for people: what happened and what to do. `text` is the tool's own last line. */
export class JobError extends Error {
  override readonly name = 'JobError';

  constructor(
    readonly kind: 'refused' | 'unreachable' | 'no-tool' | 'gone' | 'bad-record' | 'disk' | 'busy',
    message: string,
    readonly text: string | null = null,
  ) {
    super(message);
  }
}

/** What an engine says of a job when asked. Null fields: it does not know. */
export interface JobSighting {
  readonly state: JobState;
  readonly message: string | null;
  readonly startedMs: number | null;
  readonly endedMs: number | null;
  readonly exit: JobExit | null;
  /** Processes of the job on the machine whose GPUs are watched; empty where they cannot be told. */
  readonly pids: readonly number[];
  /** The scheduler's machines, as in a job's record; absent: not known. */
  readonly machines?: Readonly<Record<string, string>>;
}

/** A piece of a job's output, from the byte `offset` of the whole on. */
export interface OutputPiece {
  readonly offset: number;
  readonly bytes: Uint8Array;
}

/** Files of a folder, from its root with slashes; null: those that its rules of what is ignored let through. */
export interface FilesToBring {
  readonly folder: string;
  readonly files: readonly string[] | null;
}

export type StopRung = 'interrupt' | 'terminate' | 'kill';

/** One way to run a job. Every call gives up when its signal is aborted; none keeps its own process alive. */
export interface JobEngine {
  readonly id: JobPlace['engine'];
  readonly title: string;
  /** What will be done there in addition to the command (files copied, script submitted), a line each; throws a JobError where it cannot be. */
  plan(request: JobRequest, signal: Signal): Promise<readonly string[]>;
  /**
   * Starts it and returns what finds it again. `note` keeps an early handle before anything irreversible, so that a crash
   * between the two loses no job. `secrets` are values by name.
   */
  start(
    record: JobRecord,
    secrets: Readonly<Record<string, string>>,
    note: (handle: NonNullable<JobRecord['handle']>) => Promise<void>,
    signal: Signal,
  ): Promise<NonNullable<JobRecord['handle']>>;
  /** How it stands now. */
  look(record: JobRecord, signal: Signal): Promise<JobSighting>;
  /** The output from a byte on: what is there now; an empty piece when nothing is new. */
  read(record: JobRecord, offset: number, signal: Signal): Promise<OutputPiece>;
  /** What its GPUs showed while it ran; absent where no one watches them for it. */
  samples?(record: JobRecord, signal: Signal): Promise<readonly JobSample[]>;
  /** One rung of the ladder, to the whole group that was started. */
  stop(record: JobRecord, rung: StopRung, signal: Signal): Promise<void>;
  /**
   * How many processes of a job that began are still there, its end written or not; null before it began. Absent where that
   * cannot be told.
   */
  leftOf?(record: JobRecord): Promise<number | null>;
  /**
   * Brings files of a folder to where several jobs can use them, under its own name; the folder there, for their place.
   * Absent where a job sees this machine's folders.
   */
  bring?(place: JobPlace, id: string, files: FilesToBring, signal: Signal): Promise<string>;
  /** Takes away what was brought to a folder, as `bring` named it; absent where nothing is. */
  takeBack?(place: JobPlace, folder: string, signal: Signal): Promise<void>;
  /** Brings what it wrote into a folder here; absent where it is here already. */
  fetch?(record: JobRecord, into: string, signal: Signal): Promise<readonly string[]>;
  /** Takes away what it left behind (a copied folder); absent where there is nothing. */
  clean?(record: JobRecord, signal: Signal): Promise<void>;
}
