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

/** What the user decides. */
export interface AnalysisOptions {
  /** The GPU to judge against; null when none was chosen or found. One that was only found yields to what files ask for. */
  readonly target: Target | null;
  /** Severity by rule id; `off` silences a rule. */
  readonly severities: Readonly<Record<string, Severity | 'off'>>;
  /** Runs of the file whose last job ran out of memory; absent: none is known of. */
  readonly failures?: readonly RunFailure[];
}

/** How a job with a run of this config ended. */
export interface RunFailure {
  readonly run: string;
  readonly report: OomReport;
}

/** What can be said of a run that was read by vocabulary. */
export interface Tentative {
  /** The verdict, were the reading right; null where the model, what is trained, or how, is itself taken for granted. */
  readonly perhaps: Verdict | null;
  /** Quantities that were taken for granted. */
  readonly assumed: readonly QuantityName[];
}

/** One run of a config, judged. */
export interface RunAnalysis {
  readonly run: RunSpec;
  /** False for a part of a run opened by itself (a DeepSpeed or accelerate file): it is read, there is nothing to judge. */
  readonly judged: boolean;
  readonly model: ModelFacts | null;
  /** The GPU it is judged against: what its files ask for, unless another was chosen; null when none is known. */
  readonly target: Target | null;
  readonly estimate: Estimate | null;
  /** What the estimate rests on in addition to the computation; absent or null: nothing. */
  readonly evidence?: Evidence | null;
  /** What was measured around the config, for estimates of what it may become. */
  readonly lessons?: Lessons | undefined;
  /** How long the data are, where that was counted; absent or null: no one did. */
  readonly data?: DataLengths | null;
  /** Facts without which there is no estimate or verdict, each a phrase. */
  readonly missing: readonly string[];
  readonly verdict: Verdict;
  /** A reading by vocabulary: its answer is none that anybody is judged by. */
  readonly tentative?: Tentative;
  readonly findings: readonly Finding[];
}

/** Everything that can be said about one file. */
export interface Analysis {
  readonly file: string;
  /** Null: not a config that Headroom knows. */
  readonly dialect: string | null;
  readonly runs: readonly RunAnalysis[];
  /** Findings about the file itself: what could not be read. */
  readonly findings: readonly Finding[];
  /** Files whose change would change this analysis, the ones that were looked for and missing included. */
  readonly dependencies: readonly string[];
}
