import type { Metric } from '../models/terms';

/** Files of log folders. The caller bounds what it reads, and reads regular files only. */
export interface LogFiles {
  /** The text of a file; null: missing, too large, or not UTF-8. */
  text(path: string): Promise<string | null>;
  /** The bytes of a file, as many as the caller reads at most; null: missing. */
  bytes(path: string): Promise<Uint8Array | null>;
  /** Names in a folder; empty if there is none. */
  names(folder: string): Promise<readonly string[]>;
}

/** A folder that may hold logs, with the names in it. */
export interface LogFolder {
  readonly path: string;
  readonly names: readonly string[];
}

/** The highest amount of GPU memory that a log states. */
export interface LoggedPeak {
  readonly metric: Metric;
  readonly bytes: number;
  /** The peak of each GPU, highest first; only if the log has several. */
  readonly devices?: readonly number[];
}

/** How fast a logged run was. */
export interface LoggedSpeed {
  /** Optimizer steps. */
  readonly secondsPerStep: number;
  /** It is an average of the whole run, with evaluating and saving. */
  readonly isWhole?: boolean;
  /** What the number was taken from, as a phrase. */
  readonly from: string;
}

/** A GPU as a log names it. */
export interface LoggedGpu {
  readonly name: string;
  readonly totalMiB: number | null;
  readonly count: number | null;
}

/** A config that a run wrote down. */
export interface LoggedConfig {
  readonly path: string;
  readonly text: string;
}

/** What one log says about a run. */
export interface LogFacts {
  /** The reader's id. */
  readonly reader: string;
  /** The run's folder or file: facts of one place are about one run. */
  readonly run: string;
  /** When it started or ended, in ms since 1970; null: not stated. */
  readonly atMs: number | null;
  readonly gpu: LoggedGpu | null;
  readonly peaks: readonly LoggedPeak[];
  readonly speed: LoggedSpeed | null;
  /** Optimizer steps that it did; null: not stated. */
  readonly steps: number | null;
  /** The best first. */
  readonly configs: readonly LoggedConfig[];
  readonly versions: Readonly<Record<string, string>>;
}

/** A reader of one format of logs. Never throws for a broken log. */
export interface LogReader {
  /** What the logs in a folder say; empty if there are none of this format. */
  read(folder: LogFolder, files: LogFiles): Promise<readonly LogFacts[]>;
}

/** Facts of a run of which nothing is known yet. */
export const noFacts = (reader: string, run: string): LogFacts => ({
  reader,
  run,
  atMs: null,
  gpu: null,
  peaks: [],
  speed: null,
  steps: null,
  configs: [],
  versions: {},
});
