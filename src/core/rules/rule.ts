import type { Target } from '../hardware/gpu';
import type { DataLengths } from '../learn/dataLengths';
import type { Estimate } from '../memory/estimate';
import type { ModelFacts } from '../models/model';
import type { OomReport } from '../output/oom/report';
import type { Change } from '../spec/change';
import type { Severity } from '../spec/conditions';
import type { RunSpec } from '../spec/runSpec';
import type { Span } from '../text/span';
import type { YamlNode } from '../yaml/node';
import type { PricedRemedy } from './remedy';

/** A run that is in the same file. */
export interface Neighbour {
  readonly run: RunSpec;
  readonly estimate: Estimate | null;
}

/** What a rule may look at. */
export interface RuleContext {
  readonly run: RunSpec;
  readonly model: ModelFacts | null;
  readonly target: Target | null;
  readonly estimate: Estimate | null;
  /** The estimate rests on measurements of such runs, whatever is known of the model. */
  readonly known?: boolean;
  /** How long the data are, where that was counted. */
  readonly data?: DataLengths | null;
  /** Where the model was looked for in vain and what was wrong there: a sentence; null when it was found. */
  readonly modelWhy: string | null;
  /** Facts without which there is no estimate, as the memory model names them. */
  readonly missing: readonly string[];
  /** How the last run of this very config ran out of memory; absent or null: it did not, or there was none. */
  readonly failure?: OomReport | null;
  /** Runs of the same file that come before this one: services next to a service. */
  readonly beside?: readonly Neighbour[];
  /** The value of a key of the config in its own words (`a.b[0]`), aliases resolved; null when it is absent. */
  raw(path: string): Exclude<YamlNode, { kind: 'alias' }> | null;
}

/** A remedy that a rule knows by itself. */
export interface SuggestedRemedy {
  /** What it does, as an order: `Set adapter to qlora`. */
  readonly title: string;
  readonly changes: readonly Change[];
}

/** What a rule reports. */
export interface Report {
  /**
   * Where: keys in the config's own words, keys of a file it names (`deepspeed:zero_optimization.stage`), or quantities
   * (`quantity:microBatchSize`), most wanted first. The first one that some file of the run has is taken; without any,
   * the config's first recognised key.
   */
  readonly at: readonly string[];
  /** A full sentence: what, why, what to do. */
  readonly message: string;
  readonly remedies?: readonly SuggestedRemedy[];
  /** The name that the key it is reported at should have. */
  readonly rename?: string;
  /** Ask the plan room for remedies: `fit` uses less memory, `fill` uses what is spare. */
  readonly plan?: 'fit' | 'fill';
  /** What a remedy may take of each GPU by the estimate, MiB, where a run has shown that the whole is too much. */
  readonly roomMiB?: number;
}

/** One rule a file. `docs/rules/<id>.md` is its page. */
export interface Rule {
  /** kebab-case; part of outputs and settings, so it never changes. */
  readonly id: string;
  readonly severity: Severity;
  /** One line for catalogs: SARIF, settings, docs. */
  readonly summary: string;
  /** Where it was learnt: file and line of the framework's source, a guide, a paper. */
  readonly sources: readonly string[];
  /** Only for these dialects; all when absent. */
  readonly dialects?: readonly string[];
  /** Only for configs of these projects (packs of the dialects); all when absent. */
  readonly packs?: readonly string[];
  check(context: RuleContext): readonly Report[];
}

/** A rule that threw: a bug of Headroom, never of a config. */
export interface RuleFault {
  readonly rule: string;
  /** The config that it was asked about. */
  readonly file: string;
  readonly error: unknown;
}

/** A rule's report, located, with its remedies worked out. */
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
  /** The rule knows or asks for remedies; whether there are any is not worked out yet. */
  readonly mendable: boolean;
  /** The name that the key here should have, where that mends it. */
  readonly rename?: string;
  /** Worked out when they are first asked for. */
  readonly remedies: readonly PricedRemedy[];
}

/** Frameworks on top of Hugging Face's Trainer. */
export const ON_TRAINER: readonly string[] = ['axolotl', 'hf-trl', 'hf-trainer'];

/** Configs whose keys are TrainingArguments. */
export const TRAINING_ARGUMENTS: readonly string[] = ['hf-trl', 'hf-trainer'];

export const AXOLOTL: readonly string[] = ['axolotl'];
export const TRL: readonly string[] = ['hf-trl'];
