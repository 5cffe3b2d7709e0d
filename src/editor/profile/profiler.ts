import type { Uri } from 'vscode';
import type { OtherPlace } from '../../core/compare/machines';
import type { Target } from '../../core/hardware/gpu';
import type { Signal } from '../../core/signal';
import type { Settings } from '../../host/settings';
import type { EditorServices } from '../services';

/** One run of a saved config, with native paths. */
export interface ProfileSubject {
  readonly folder: string;
  readonly file: string;
  readonly run: string;
  /** The target of the run in this window. */
  readonly target: Target | null;
  /** Where results are kept: for this workspace or for the user. */
  readonly keptFor: Settings['measurements.keptFor'];
  /** The user's function that builds the model, if it is not known otherwise. */
  readonly entry?: string;
}

export interface DryRunSummary {
  readonly peakBytes: number;
  readonly phase: string;
  readonly predictedBytes: number | null;
}

/** A process as a task starts it. */
export interface ProgramProcess {
  readonly program: string;
  readonly args: readonly string[];
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  /** It asks a question in its terminal. */
  readonly asks: boolean;
}

/** Runs the user's Python; provided by extension.ts. */
export interface Profiler {
  dryRun(
    subject: ProfileSubject,
    python: string,
    progress: (text: string) => void,
    signal: Signal,
  ): Promise<DryRunSummary>;
  /** The process that runs the user's own program without data, and keeps its result for the run. */
  program(subject: ProfileSubject, python: string, command: readonly string[]): Promise<ProgramProcess>;
  /** The hosts and parts of clusters of this window. */
  others(): Promise<readonly OtherPlace[]>;
  /** The process that runs the program without data on one of them, or probes one of its GPUs if `command` is null. */
  elsewhere(
    subject: ProfileSubject,
    where: OtherPlace & { readonly sshConfig: string },
    command: readonly string[] | null,
  ): Promise<ProgramProcess>;
  /** Stores a peak that the user observed; returns a sentence. */
  measured(
    subject: ProfileSubject,
    size: string,
    metric: 'device' | 'reserved' | 'allocated',
  ): Promise<string>;
  /** Removes the run's measurements, the workspace's and the user's own; returns a sentence. */
  forgotten(subject: ProfileSubject): Promise<string>;
  /** Writes all measurements that apply to the config to a file; returns a sentence. */
  exported(subject: ProfileSubject, to: string): Promise<string>;
  /** Counts the lengths of the rows of the run's data and stores them; returns sentences. */
  lengths(subject: ProfileSubject, progress: (text: string) => void, signal: Signal): Promise<string>;
  /** Measures what this machine's GPU reaches and keeps it; returns a sentence. */
  calibrated(
    of: Pick<ProfileSubject, 'folder' | 'keptFor'>,
    python: string,
    progress: (text: string) => void,
    signal: Signal,
  ): Promise<string>;
  /** The runs whose logs are in a folder. */
  pastRuns(logs: LogFolder, signal: Signal): Promise<readonly LoggedRun[]>;
  /** Keeps the measurements of the named runs; returns a sentence. */
  keepPastRuns(logs: LogFolder, runs: readonly string[]): Promise<string>;
}

/** A folder with logs of past runs. */
export type LogFolder = Pick<ProfileSubject, 'folder' | 'keptFor'> & { readonly logs: string };

/** A past run with its highest memory, in bytes, and the time of its steps. */
export interface LoggedRun {
  readonly run: string;
  readonly at: string | null;
  readonly gpu: { readonly name: string } | null;
  readonly model: string | null;
  readonly memory: readonly { readonly bytes: number; readonly predicted: number | null }[];
  readonly secondsPerStep: number | null;
  /** The measurements that can be kept of it. */
  readonly keeps: number;
}

export interface ProfileServices extends EditorServices {
  readonly profiler: Profiler;
  /** Measurements changed: analyzes the open documents again. */
  readonly learned: () => void;
  readonly explain: (file: Uri, run: string) => unknown;
}

/** The config and its run, as titles name them. */
export const titleOf = ({ file, run }: Pick<ProfileSubject, 'file' | 'run'>): string =>
  [file, run].join(' ').trim();
