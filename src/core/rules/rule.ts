import type { Target } from '../hardware/gpu';
import type { Estimate } from '../memory/estimate';
import type { ModelFacts } from '../models/model';
import type { Change, PricedRemedy } from '../plan/remedy';
import type { RunSpec } from '../spec/runSpec';
import type { Span } from '../text/span';
import type { YamlNode } from '../yaml/node';

export type Severity = 'error' | 'warning' | 'information' | 'hint';

/** What a rule may look at. */
export interface RuleContext {
  readonly run: RunSpec;
  readonly model: ModelFacts | null;
  readonly target: Target | null;
  readonly estimate: Estimate | null;
  /** The value of a key of the config in its own words, aliases resolved; null when it is absent. */
  raw(path: string): YamlNode | null;
}

/** What a rule reports. Where: the first key of `at` that the file has, else the file's first recognised key. */
export interface Report {
  /** Keys (of the config's own words) or quantities (`quantity:microBatchSize`), most wanted first. */
  readonly at: readonly string[];
  /** A full sentence: what, why, what to do. */
  readonly message: string;
  /** Each a remedy with the changes it makes; effects and edits are worked out by the plan room. */
  readonly remedies?: readonly { readonly title: string; readonly changes: readonly Change[] }[];
}

/** One rule a file. `docs/rules/<id>.md` is its page. */
export interface Rule {
  readonly id: string;
  readonly severity: Severity;
  /** One line for catalogs: SARIF, settings, docs. */
  readonly summary: string;
  /** Where it was learnt: file and line of the framework's source, a guide, a paper. */
  readonly sources: readonly string[];
  /** Only for these dialects; all when absent. */
  readonly dialects?: readonly string[];
  check(context: RuleContext): readonly Report[];
}

/** A rule's report, located, with its remedies worked out. */
export interface Finding {
  readonly rule: string;
  readonly severity: Severity;
  readonly file: string;
  readonly span: Span;
  readonly path: string;
  readonly message: string;
  readonly remedies: readonly PricedRemedy[];
}
