import type { Bytes } from '../memory/estimate';
import type { Metric, TermName } from '../models/terms';

/** The source of a measurement. */
export type MeasurementSource =
  /** nvidia-smi and similar tools, per process, while a job ran. */
  | 'job'
  /** The trainer's memory log. */
  | 'trainer'
  /** Real steps of the run, made for the measurement. */
  | 'probe'
  /** The run's own code on tensors without data. */
  | 'dry run'
  /** Entered by the user. */
  | 'user'
  /** The logs of a run that ended before Headroom knew of it. */
  | 'log';

/** The quantities that decide a run's memory; values as text. Runs with the same features take the same memory. */
export type Features = Readonly<Record<string, string>>;

/** The rows of a step: the variables of the line through measurements. */
export interface MeasuredRows {
  readonly batch: number | null;
  readonly sequence: number | null;
  readonly sequences: number | null;
}

/** The predicted sum of the same run. */
export interface PredictedSum {
  readonly metric: Metric;
  readonly bytes: number;
  readonly terms: Readonly<Partial<Record<TermName, number>>>;
  /** Headroom's version; another version may compute differently. */
  readonly by: string;
}

/** A peak that a run really had: one line of `measurements.jsonl`. */
export interface Measurement {
  readonly schema: 'headroom-measurement/1';
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly source: MeasurementSource;
  /** The other machine or cluster that it comes from, as the user named it, for display only; absent: this one, or unknown. */
  readonly place?: string;
  /** The config, for display only. */
  readonly config: string;
  readonly framework: string;
  /** The version as read from the config; null: not stated. */
  readonly frameworkVersion: string | null;
  /** Installed releases of the run, by package. */
  readonly versions: Readonly<Record<string, string>>;
  /** `model_type`; null if the model is unknown. */
  readonly family: string | null;
  /** The GPU's name in the catalog; null: any (a dry run), or unknown. */
  readonly gpu: string | null;
  readonly features: Features;
  readonly rows: MeasuredRows;
  readonly metric: Metric;
  /** The highest peak of all GPUs. */
  readonly bytes: number;
  /** The peak of each GPU, highest first; only for several GPUs that were all measured. */
  readonly devices?: readonly number[];
  /** The peak by term, if measured. */
  readonly terms: Readonly<Partial<Record<TermName, number>>> | null;
  readonly predicted: PredictedSum | null;
  /** The digest of a dry run's input: with the same releases it gives the same result. */
  readonly digest?: string;
  /** When the peak occurred, as the source describes it. */
  readonly phase?: string;
  /** For a dry run: computed amounts that are not from the model's code, and the change of the peak in bytes. */
  readonly added?: { readonly what: readonly string[]; readonly bytes: number };
  /** For a dry run of the user's own program: what was run, and what its result depends on. */
  readonly program?: ProgramRun;
}

/** A program that was run dry. */
export interface ProgramRun {
  /** Program and arguments. */
  readonly command: readonly string[];
  /** Where it started, relative to the folder that has `.headroom`, or absolute. */
  readonly folder: string;
  /** Its code, configs and lock files by path in that folder, with a digest each. */
  readonly files: Readonly<Record<string, string>>;
  /** The lines that made most of the peak, largest first. */
  readonly lines: readonly { readonly line: string; readonly bytes: number }[];
  /** The deviation that its assumptions allow, as shares of the peak. */
  readonly spread: { readonly below: number; readonly above: number };
  /** What the allocator reserved, in bytes. */
  readonly reserved: number;
  /** A file that has changed since, so the result no longer counts; absent or null: none. Not stored. */
  readonly changed?: string | null;
}

/** The evidence of an estimate in addition to the computation. */
export interface Evidence {
  /**
   * `measured`: this very run; `dry run`: its code without data; `fitted`: a line through measurements of an
   * unknown model's runs with other rows; `corrected`: computed, and corrected by measurements of similar runs.
   */
  readonly kind: 'measured' | 'dry run' | 'fitted' | 'corrected';
  readonly source: MeasurementSource;
  /** Number of measurements. */
  readonly points: number;
  /** The time of the latest measurement, ISO 8601. */
  readonly at: string;
  /** The estimate without measurements, as nvidia-smi would show it; null: could not be computed. */
  readonly computed: Bytes | null;
  /** A sentence for the user. */
  readonly says: string;
  /** The effect of a version change on this run; null: none that stands out. */
  readonly regression: string | null;
}
