import type { LengthRecord } from '../lengths/record';
import type { Bytes } from '../memory/estimate';
import type { Metric, TermName } from '../models/terms';

/** Who says what a run took. */
export type MeasurementSource =
  /** nvidia-smi and its like, by process, while a job ran. */
  | 'job'
  /** The trainer's own memory lines. */
  | 'trainer'
  /** Real steps of the run, made to find out. */
  | 'probe'
  /** The run's code on tensors without data. */
  | 'dry run'
  /** Typed in. */
  | 'user';

/** What decides a run's memory, by quantity; values as text. Two runs with the same features take the same. */
export type Features = Readonly<Record<string, string>>;

/** The rows of a step: what a line through measurements is drawn over. */
export interface MeasuredRows {
  readonly batch: number | null;
  readonly sequence: number | null;
  readonly sequences: number | null;
}

/** The sum that was predicted of the same run. */
export interface PredictedSum {
  readonly metric: Metric;
  readonly bytes: number;
  readonly terms: Readonly<Partial<Record<TermName, number>>>;
  /** Headroom's version: another one may compute otherwise. */
  readonly by: string;
}

/** A peak that a run really had: one line of `measurements.jsonl`. */
export interface Measurement {
  readonly schema: 'headroom-measurement/1';
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly source: MeasurementSource;
  /** The config it was read from, for people. */
  readonly config: string;
  readonly framework: string;
  /** As the config's framework was read; null: nothing said. */
  readonly frameworkVersion: string | null;
  /** Releases that really ran, by package. */
  readonly versions: Readonly<Record<string, string>>;
  /** `model_type`; null where no one knows the model. */
  readonly family: string | null;
  /** The GPU by its name in the catalog; null: any (a dry run), or not known. */
  readonly gpu: string | null;
  readonly features: Features;
  readonly rows: MeasuredRows;
  readonly metric: Metric;
  /** The most on any GPU. */
  readonly bytes: number;
  /** The peak of each GPU, the highest first, where there are several and each was seen. */
  readonly devices?: readonly number[];
  /** What it was held for at the peak, where that was seen. */
  readonly terms: Readonly<Partial<Record<TermName, number>>> | null;
  readonly predicted: PredictedSum | null;
  /** What was asked of a dry run: the same digest with the same releases gives the same. */
  readonly digest?: string;
  /** When the peak was, in the words of who saw it. */
  readonly phase?: string;
  /** Of a dry run: what is not the model's own code and was computed, and by how much that moved the peak. */
  readonly added?: { readonly what: readonly string[]; readonly bytes: number };
}

/** What an estimate rests on in addition to the computation. */
export interface Evidence {
  /**
   * `measured`: this very run was; `dry run`: its code was run without data; `fitted`: a line through measurements of
   * runs with other rows, where no one knows the model; `corrected`: computed, and moved by measurements of its like.
   */
  readonly kind: 'measured' | 'dry run' | 'fitted' | 'corrected';
  readonly source: MeasurementSource;
  /** How many measurements it rests on. */
  readonly points: number;
  /** The latest of them, ISO 8601. */
  readonly at: string;
  /** What was computed without them, as nvidia-smi would show it; null: nothing could be. */
  readonly computed: Bytes | null;
  /** A sentence for people. */
  readonly says: string;
  /** What a change of versions did to this run; null: nothing that stands out. */
  readonly regression: string | null;
}

/** What runs really took, from files next to a config and from the user's own. */
export interface MeasurementLookup {
  readonly measurements: readonly Measurement[];
  /** Files that were read or looked for. */
  readonly dependencies: readonly string[];
  /** Headroom's own version: sums that another one predicted correct nothing. */
  readonly by: string;
}

export interface MeasurementFiles {
  near(file: string): Promise<MeasurementLookup>;
}

/** How long the data around a config are, where that was counted. */
export interface LengthLookup {
  /** The newest last; `isStale`: the files are others by now. */
  readonly counted: readonly { readonly record: LengthRecord; readonly isStale: boolean }[];
  /** Files that were read or looked for. */
  readonly dependencies: readonly string[];
}

export interface LengthFiles {
  near(file: string): Promise<LengthLookup>;
}
