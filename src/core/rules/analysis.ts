import type { Target } from '../hardware/gpu';
import type { Evidence } from '../learn/measurement';
import type { Lessons } from '../learn/learned';
import type { DataLengths } from '../learn/dataLengths';
import type { Estimate, Verdict } from '../memory/estimate';
import type { ModelFacts } from '../models/model';
import type { OomReport } from '../output/oom/report';
import type { Finding } from './rule';
import type { Severity } from '../spec/conditions';
import type { RunSpec } from '../spec/runSpec';
import type { QuantityName } from '../spec/values';
import type { Gap } from '../memory/gap';

/** The user's choices. */
export interface AnalysisOptions {
  /**
   * The GPU to compare with; null: none chosen or found. What files request wins over a GPU that was only found.
   */
  readonly target: Target | null;
  /** Severity by rule id; `off` silences a rule. */
  readonly severities: Readonly<Record<string, Severity | 'off'>>;
  /** Only runs that depend on one of these files are estimated and judged; absent: all. */
  readonly among?: ReadonlySet<string>;
  /** Runs of the file whose last job ran out of memory; absent: none known. */
  readonly failures?: readonly RunFailure[];
}

/** The failure of a job with a run of this config. */
export interface RunFailure {
  readonly run: string;
  readonly report: OomReport;
}

/** The result for a run that was read by vocabulary. */
export interface Tentative {
  /**
   * The verdict if the reading is right; null if the model, the trained parts or the method are themselves assumed.
   */
  readonly perhaps: Verdict | null;
  /** Quantities that were assumed. */
  readonly assumed: readonly QuantityName[];
}

/** One run of a config with its verdict. */
export interface RunAnalysis {
  /** Why the network of the project's own code has no sizes; absent: it has, or there is none. */
  readonly networkWhy?: string;
  readonly run: RunSpec;
  /** False for an opened part of a run (a DeepSpeed or accelerate file): it is read but has no verdict. */
  readonly judged: boolean;
  readonly model: ModelFacts | null;
  /** The GPU that it is compared with: the one its files request, unless the user chose another; null: unknown. */
  readonly target: Target | null;
  readonly estimate: Estimate | null;
  /** The evidence in addition to the computation; absent or null: none. */
  readonly evidence?: Evidence | null;
  /** Measurements for the config, for estimates of changed runs. */
  readonly lessons?: Lessons | undefined;
  /** The data's lengths; absent or null: not counted. */
  readonly data?: DataLengths | null;
  /** Missing facts that prevent an estimate or verdict, as phrases. */
  readonly missing: readonly string[];
  /** The kind of each; absent: none that matters. */
  readonly gaps?: readonly Gap[];
  readonly verdict: Verdict;
  /** Set for a reading by vocabulary, whose verdict is not binding. */
  readonly tentative?: Tentative;
  readonly findings: readonly Finding[];
}

/** The analysis of one file. */
export interface Analysis {
  readonly file: string;
  /** Null: not a known config. */
  readonly dialect: string | null;
  readonly runs: readonly RunAnalysis[];
  /** Findings about the file itself, such as unreadable parts. */
  readonly findings: readonly Finding[];
  /** Findings about files in `.headroom/dialects` near this file; absent: none. */
  readonly nearby?: readonly Finding[];
  /** Files that the analysis depends on, including missing ones that were looked for. */
  readonly dependencies: readonly string[];
}
