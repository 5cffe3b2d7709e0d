import type { Uri } from 'vscode';
import type { RunAnalysis } from '../core/rules/analysis';
import type { ClusterPart, FreeGpu, HostOfMany } from '../core/compare/machines';
import type { ComparedPlace } from '../core/plan/places/fit';
import type { MeasuredRun } from '../core/analyse/measuredRun';
import type { Jobs } from '../jobs/jobs';
import type { JobKind, JobPlace } from '../jobs/job';
import type { Log } from '../host/log';
import type { FailureSink } from './failureWatch';

/** A run of a config in this window that can be started. */
export interface RunOfConfig {
  readonly uri: Uri;
  /** Core's path of the config. */
  readonly file: string;
  readonly analysis: RunAnalysis;
}

/** The command that starts a run: the framework's own launcher, filled in as far as possible. */
export type Command =
  | {
      readonly ok: true;
      readonly kind: JobKind;
      /** What it does: `train`, `export`, `serve`. */
      readonly verb: string;
      readonly argv: readonly string[];
      /** The command that resumes from the last checkpoint; null: unknown. */
      readonly resume: readonly string[] | null;
      /** Placeholders for the user to fill in: `{script}`, `DATA`. */
      readonly open: readonly string[];
      /** Its working folder. */
      readonly folder: string;
      readonly environment: Readonly<Record<string, string>>;
      /** Names of secrets that it may need (`HF_TOKEN`) and that are set in the user's environment. */
      readonly secrets: readonly string[];
      readonly writes: readonly string[];
      /** It is Headroom's own command. */
      readonly isOwn: boolean;
      /** The system that does the work (a daemon, a cluster); null: the command itself. */
      readonly handsTo: string | null;
      /** sha256 over the files of the run. */
      readonly digest: string;
      /** The features of its measurement in addition to the peak; null: the config was only guessed. */
      readonly measured: MeasuredRun | null;
      /** The file that keeps the measurement. */
      readonly measuredIn: string | null;
    }
  | { readonly ok: false; readonly why: string };

/** How to start a run. */
export interface Way {
  readonly kind: JobKind;
  readonly gpus: number;
  /** On this machine; else Headroom is the one installed on the other. */
  readonly isHere: boolean;
  /** The user's values, by placeholder. */
  readonly filled: Readonly<Record<string, string>>;
}

/** The configs of this window, from the editor. */
export interface RunnableConfigs {
  /** The run that a command was called for; may ask the user. Null: the user canceled. */
  chosen(file: Uri | null, run: unknown): Promise<RunOfConfig | null>;
  /** A run by its file and name (null: the one that needs most memory); never asks. Null: not found. */
  named(file: Uri, run: string | null): Promise<RunOfConfig | null>;
  /** Runs of open configs as last read. */
  open(): readonly RunOfConfig[];
  command(run: RunOfConfig, way: Way): Promise<Command>;
  /** How the run fares in each place; `asked`: hosts are read first, which takes seconds. */
  places(run: RunOfConfig, requested: boolean): Promise<readonly ComparedPlace[]>;
}

/** What other rooms know about machines. */
export interface Machines {
  /** Whether hosts or clusters are configured. */
  hasOthers(): boolean;
  /** The configured SSH hosts, read now. */
  hosts(): Promise<readonly HostOfMany[]>;
  /** The config file for ssh; null: ssh's default. */
  sshConfig(): string | null;
  /** The setting for the command that starts Headroom on other machines; empty: the default. */
  hostCommand(): unknown;
  /** The host's Python computes the parts, even if Headroom is installed there. */
  onlyPython(): boolean;
  /** Of the configured clusters, as last read. */
  parts(): Promise<readonly ClusterPart[]>;
  /** GPUs of a place where programs can be told which to use; null: its scheduler chooses. */
  gpus(place: JobPlace): Promise<readonly FreeGpu[] | null>;
}

export interface TaskServices {
  /** Null in Restricted Mode: nothing is started or read. */
  readonly jobs: () => Promise<Jobs | null>;
  readonly configs: RunnableConfigs;
  readonly machines: Machines;
  /** Receives how the last job of each config ended. */
  readonly failures: FailureSink;
  /** Called when a job with a measured peak ended, after its measurement was stored. */
  readonly learned: () => void;
  readonly log: Log;
}
