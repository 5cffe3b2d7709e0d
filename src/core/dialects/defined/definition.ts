import type { RunSpec } from '../../spec/runSpec';
import type { Unit } from '../../spec/quantity';
import type { ScalarValue } from '../../yaml/node';
import type { Conditions } from '../../spec/conditions';
import type { Severity } from '../../spec/conditions';
import type { LogLine } from '../../data/forms/line';
import type {
  Default,
  DetailKey,
  Dialect,
  Evidence,
  KeyHelp,
  Launch,
  Program,
  Reference,
  Scope,
} from '../dialect';
import type { Loader } from '../../yaml/scalars';
import type { Signature } from '../engine/signature';
import type { Stages } from '../engine/stages';
import type { RowKind } from './rows';

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
  /** How the value is read, where not as the name of the row says. */
  readonly read: RowKind | null;
  /** Words in any case, and what each stands for. */
  readonly oneOf: Readonly<Record<string, ScalarValue>> | null;
  /** What holds by release, newest first. */
  readonly defaults: readonly Default<unknown>[];
  /** Why no file tells it: a sentence. */
  readonly unknown: string | null;
  /** Keys beside which a new key belongs, most wanted first. */
  readonly near: readonly string[];
}

/** How a program takes its configs, its words a regular expression. */
export type DefinedProgram = Omit<Program, 'words'> & { readonly words?: string };

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
  /** `run`: a config is a run by itself; `part`: other configs name it. */
  readonly role: Dialect['role'];
  /** The release that the file describes; null: that of nobody. */
  readonly framework: Dialect['framework'] | null;
  /** Keys that tell for which releases a file was written. */
  readonly releases: readonly Evidence[];
  /** What is known of a quantity without a row: `none`: the program does not do it; `unknown`: nobody can say. */
  readonly unstated: 'none' | 'unknown';
  readonly references: readonly Reference[];
  readonly program: DefinedProgram | null;
  /** Lines that the program prints, and names of sets of lines that several do (`trainerLogs`). */
  readonly logs: readonly (LogLine | string)[];
  /** Keys that state a detail, where a plan may change it. */
  readonly detailKeys: Readonly<Record<string, Pick<DetailKey<unknown>, 'keys' | 'near'>>>;
  /** By name of quantity, part of one (`lora.r`) or detail. */
  readonly rows: Readonly<Record<string, DefinedRow>>;
  readonly stages: Stages | null;
  readonly help: Readonly<Record<string, KeyHelp>>;
  /** How the program is started with a config, most usual first. */
  readonly launch: readonly Launch[];
  readonly rules: readonly DefinedRule[];
}

/** A definition as it is compiled from a file: rows have only what they say. */
export type DialectFile = Omit<DialectDefinition, 'rows'> & {
  readonly rows: Readonly<Record<string, Partial<DefinedRow>>>;
};

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
  read: null,
  oneOf: null,
  defaults: [],
  unknown: null,
  near: [],
};

/** What a run's own dialect is made of, where it does not come with Headroom. */
export function definitionOf({ definition }: Pick<RunSpec, 'definition'>): DialectDefinition | null {
  return definition !== undefined && isDefinition(definition) ? definition : null;
}

const isDefinition = (definition: object): definition is DialectDefinition =>
  'rows' in definition && 'signature' in definition;
