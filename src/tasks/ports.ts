import type { Uri } from 'vscode';
import type { RunAnalysis } from '../core/rules/analysis';
import type { ComparedPlace } from '../core/plan/places/fit';
import type { MeasuredRun } from '../core/analyse/measuredRun';
import type { Jobs } from '../jobs/jobs';
import type { JobKind, JobPlace } from '../jobs/job';
import type { Log } from '../host/log';
import type { FailureSink } from './failureWatch';

/** A run of a config of this window that may be started. */
export interface RunOfConfig {
  readonly uri: Uri;
  /** Core's path of the config. */
  readonly file: string;
  readonly analysis: RunAnalysis;
}

/** What starts a run: the framework's own launcher, filled in as far as that goes. */
export type Command =
  | {
      readonly ok: true;
      readonly kind: JobKind;
      /** What it does to the config: `train`, `export`, `serve`. */
      readonly verb: string;
      readonly argv: readonly string[];
      /** The command that goes on from the last checkpoint; null: none is known. */
      readonly resume: readonly string[] | null;
      /** Parts of words that are for people to fill in: `{script}`, `DATA`. */
      readonly open: readonly string[];
      /** The folder it starts in. */
      readonly folder: string;
      readonly environment: Readonly<Record<string, string>>;
      /** Names of secrets that it may want (`HF_TOKEN`), of those that the user's environment has. */
      readonly secrets: readonly string[];
      readonly writes: readonly string[];
      /** It is Headroom's own. */
      readonly isOwn: boolean;
      /** What it only hands the work to (a daemon, a cluster); null: it does the work itself. */
      readonly handsTo: string | null;
      /** sha256 over the files of the run. */
      readonly digest: string;
      /** What a measurement of it says in addition to its peak; null: its numbers would be those of a guess. */
      readonly measured: MeasuredRun | null;
      /** The file in which that is kept. */
      readonly measuredIn: string | null;
    }
  | { readonly ok: false; readonly why: string };

/** How to start a run. */
export interface Way {
  readonly kind: JobKind;
  readonly gpus: number;
  /** It is this machine; else Headroom is what was installed there. */
  readonly isHere: boolean;
  /** What people have filled in, by the words that were open. */
  readonly filled: Readonly<Record<string, string>>;
}

/** A GPU of this machine, or of a host, as it stands now. */
export interface FreeGpu {
  readonly index: number;
  readonly uuid: string;
  readonly name: string;
  readonly totalBytes: number | null;
  readonly freeBytes: number | null;
}

/** The configs of this window, which the editor knows. */
export interface RunnableConfigs {
  /** The run that a command was called for; may ask. Null: the user left. */
  chosen(file: Uri | null, run: unknown): Promise<RunOfConfig | null>;
  /** A run by its file and name (null: the one that needs most); asks no one. Null: there is none. */
  named(file: Uri, run: string | null): Promise<RunOfConfig | null>;
  /** Runs of open configs, as they were last read. */
  open(): readonly RunOfConfig[];
  command(run: RunOfConfig, way: Way): Promise<Command>;
  /** What becomes of it in each place there is; `asked`: hosts are asked first, which takes seconds. */
  places(run: RunOfConfig, asked: boolean): Promise<readonly ComparedPlace[]>;
}

/** A part of a cluster that a scheduler gives out, whatever is known of its GPUs: a partition of Slurm, all of a Ray cluster. */
export interface ClusterPart {
  /** As hosts are named: `slurm:local`, `ray:10.0.0.7:8265`. */
  readonly host: string;
  readonly engine: 'slurm' | 'ray';
  /** The partition; null: whatever the scheduler takes by itself. */
  readonly partition: string | null;
  readonly name: string;
  /** Null: not counted. */
  readonly gpus: number | null;
  readonly free: number | null;
  readonly note: string | null;
}

/** One of several hosts that share work. */
export interface HostOfMany {
  readonly alias: string;
  readonly name: string;
  /** Those that can be told apart by name. */
  readonly gpus: readonly FreeGpu[];
  /** Why it cannot be had; null: it can. */
  readonly trouble: string | null;
}

/** What rooms that tasks do not see know of machines. */
export interface Machines {
  /** Hosts or clusters are configured. */
  hasOthers(): boolean;
  /** SSH hosts that are configured, asked now. */
  hosts(): Promise<readonly HostOfMany[]>;
  /** The config that ssh is to read; null: its own. */
  sshConfig(): string | null;
  /** How Headroom is called on other machines, as someone has set it; empty: as it is usual there. */
  hostCommand(): unknown;
  /** The Python there calculates the parts, whether Headroom is there or not. */
  onlyPython(): boolean;
  /** Of the clusters that are configured, as they were last seen. */
  parts(): Promise<readonly ClusterPart[]>;
  /** GPUs of a place whose programs can be told which to use; null: its scheduler chooses. */
  gpus(place: JobPlace): Promise<readonly FreeGpu[] | null>;
}

export interface TaskServices {
  /** Null in Restricted Mode: nothing is started, and no one looked. */
  readonly jobs: () => Promise<Jobs | null>;
  readonly configs: RunnableConfigs;
  readonly machines: Machines;
  /** Hears how the last job of each config ended. */
  readonly failures: FailureSink;
  /** Hears that a job is over whose peak was measured: what it has measured is kept by then. */
  readonly learnt: () => void;
  readonly log: Log;
}
