import type { RunSpec } from '../../spec/runSpec';
import type { Unit } from '../../spec/quantity';
import type { ScalarValue } from '../../yaml/node';
import type { Conditions } from '../../spec/conditions';
import type { Severity } from '../../spec/conditions';
import type { KeyHelp, Launch, Scope } from '../dialect';
import type { Loader } from '../../yaml/scalars';
import type { Signature } from '../engine/signature';
import type { Stages } from '../engine/stages';

/** What a row holds without a key of the config, and who says so. */
export interface Told {
  /** Null: there is none (not quantised, no sharding). */
  readonly value: ScalarValue | readonly string[];
  readonly source: string;
}

/** A row of a dialect that is data: where a quantity stands, and what is made of the words there. */
export interface DefinedRow {
  /** Keys that state it, the one that wins first. */
  readonly keys: readonly string[];
  /** Another row that it follows from, where no key of its own says it. */
  readonly of: string | null;
  /** What the words of the file stand for; a name between slashes is a regular expression. Empty: as they are. */
  readonly map: readonly (readonly [words: string, meaning: ScalarValue])[];
  /** Arithmetic on the number that stands there, which is `x`: `x + 2`. */
  readonly formula: string | null;
  readonly scope: Scope | null;
  readonly unit: Unit | null;
  /** What the program takes where no key says it. */
  readonly default: Told | null;
  /** What the program does whatever the config says. */
  readonly always: Told | null;
  /** What a reading by vocabulary takes for granted where no key says it: a sentence. */
  readonly assumed: Told | null;
  /** Why a value that stands there does not tell the quantity: a sentence. */
  readonly doubt: string | null;
  readonly note: string | null;
}

/** A finding that a dialect's own file asks for. */
export interface DefinedRule {
  readonly id: string;
  readonly severity: Severity;
  readonly when: Conditions;
  readonly at: readonly string[];
  readonly message: string;
  readonly set: { readonly key: string; readonly to: string | number | boolean } | null;
}

/** A dialect as data: a file in `.headroom/dialects`, or what a reading by vocabulary found. */
export interface DialectDefinition {
  readonly id: string;
  readonly title: string;
  /** Where it is written; '' for a reading by vocabulary. */
  readonly file: string;
  readonly loader: Loader;
  readonly signature: Signature;
  readonly sections: readonly string[];
  /** By name of quantity, part of one (`lora.r`) or detail. */
  readonly rows: Readonly<Record<string, DefinedRow>>;
  readonly stages: Stages | null;
  readonly help: Readonly<Record<string, KeyHelp>>;
  /** How the program is started with a config; absent: the dialect’s file does not say. */
  readonly launch?: Launch;
  readonly rules: readonly DefinedRule[];
}

/** A row that says nothing yet. */
export const emptyRow: DefinedRow = {
  keys: [],
  of: null,
  map: [],
  formula: null,
  scope: null,
  unit: null,
  default: null,
  always: null,
  assumed: null,
  doubt: null,
  note: null,
};

/** What a run's own dialect is made of, where it does not come with Headroom. */
export function definitionOf({ definition }: Pick<RunSpec, 'definition'>): DialectDefinition | null {
  return definition !== undefined && isDefinition(definition) ? definition : null;
}

const isDefinition = (definition: object): definition is DialectDefinition =>
  'rows' in definition && 'signature' in definition;
