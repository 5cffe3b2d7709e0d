import type { Target } from '../hardware/gpu';
import type { DataLengths } from '../learn/dataLengths';
import type { Lessons } from '../learn/learned';
import type { Estimate } from '../memory/estimate';
import type { MemorySession } from '../memory/session';
import type { ModelFacts } from '../models/model';
import type { OomReport } from '../output/oom/report';
import type { Change } from '../spec/change';
import type { Severity } from '../spec/conditions';
import type { RunSpec } from '../spec/runSpec';
import type { Say } from '../text/say';
import type { Span } from '../text/span';
import type { YamlNode } from '../yaml/node';
import type { PricedRemedy } from './remedy';

/** Another run of the same file. */
export interface OtherRun {
  readonly run: RunSpec;
  readonly estimate: Estimate | null;
}

/** The input of a rule. */
export interface RuleContext {
  /** Says messages and titles in the reader's language. */
  readonly say: Say;
  readonly run: RunSpec;
  readonly model: ModelFacts | null;
  readonly target: Target | null;
  readonly estimate: Estimate | null;
  /** The estimate is based on measurements of similar runs, even if the model is unknown. */
  readonly known?: boolean;
  /** Measurements for the config; they also adjust estimates of a changed run. */
  readonly lessons?: Lessons | undefined;
  /** Shared between estimates; absent: each is computed separately. */
  readonly memory?: MemorySession | undefined;
  /** The data's lengths, if counted. */
  readonly data?: DataLengths | null;
  /** A sentence about where the model was looked for and what was wrong there; null if it was found. */
  readonly modelWhy: string | null;
  /** Missing facts that prevent an estimate, as the memory model names them. */
  readonly missing: readonly string[];
  /** How the last run of this config ran out of memory; absent or null: it did not, or there was none. */
  readonly failure?: OomReport | null;
  /** Earlier runs of the same file: other services of a Compose file. */
  readonly otherRuns?: readonly OtherRun[];
  /** The value of a key of the config (`a.b[0]`) with aliases resolved; null if absent. */
  raw(path: string): Exclude<YamlNode, { kind: 'alias' }> | null;
}

/** A remedy that a rule suggests itself. */
export interface SuggestedRemedy {
  /** The action, as an imperative; absent: it sets one key, whose name and value say it. */
  readonly title?: string;
  readonly changes: readonly Change[];
}

/** A report of a rule. */
export interface Report {
  /**
   * Where to report it: keys of the config, keys of a file it names (`deepspeed:zero_optimization.stage`), or
   * quantities (`quantity:microBatchSize`), in order of preference. The first one that a file of the run has is
   * used; if there is none, the config's first recognized key.
   */
  readonly at: readonly string[];
  /** A full sentence: what, why, what to do. */
  readonly message: string;
  readonly remedies?: readonly SuggestedRemedy[];
  /** The correct name of the key that it is reported at. */
  readonly rename?: string;
  /** Asks the planner for remedies: `fit` uses less memory, `fill` uses spare memory. */
  readonly plan?: 'fit' | 'fill';
  /**
   * Memory of each GPU that a remedy may take by the estimate, in MiB, if a run has shown that all of it is too
   * much.
   */
  readonly roomMiB?: number;
}

/** One rule per file. `docs/rules/<id>.md` is its page. */
export interface Rule {
  /** In kebab-case; part of outputs and settings, so it never changes. */
  readonly id: string;
  readonly severity: Severity;
  /** One line for catalogs: SARIF, settings, docs. */
  readonly summary: string;
  /** Sources: file and line of the framework's code, a guide, a paper. */
  readonly sources: readonly string[];
  /** The dialects that it applies to; absent: all. */
  readonly dialects?: readonly string[];
  /** The projects that it applies to (packs of the dialects); absent: all. */
  readonly packs?: readonly string[];
  check(context: RuleContext): readonly Report[];
}

/** A rule that threw: a bug in Headroom, never in a config. */
export interface RuleFault {
  readonly rule: string;
  /** The config that it was checking. */
  readonly file: string;
  readonly error: unknown;
}

/** A rule's report with its place and remedies. */
export interface Finding {
  readonly rule: string;
  readonly severity: Severity;
  readonly file: string;
  readonly span: Span;
  /** Line and column of the span's start, from 1. */
  readonly line: number;
  readonly column: number;
  readonly path: string;
  readonly message: string;
  /** The rule has or requests remedies; they may turn out to be empty. */
  readonly fixable: boolean;
  /** The correct name of the key, if renaming fixes it. */
  readonly rename?: string;
  /** Computed on first access. */
  readonly remedies: readonly PricedRemedy[];
}

/** Frameworks on top of Hugging Face's Trainer. */
export const ON_TRAINER: readonly string[] = ['axolotl', 'hf-trl', 'hf-trainer'];

/** Configs whose keys are TrainingArguments. */
export const TRAINING_ARGUMENTS: readonly string[] = ['hf-trl', 'hf-trainer'];

export const AXOLOTL: readonly string[] = ['axolotl'];
export const TRL: readonly string[] = ['hf-trl'];
