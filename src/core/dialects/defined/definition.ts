import type { RowColumns, RowTemplate } from '../../spec/dataset';
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
  Pack,
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
  readonly value: Spec;
  readonly source: string;
}

/**
 * A value as a dialect's file writes it: a scalar, a list, fields of settings (`r`, `alpha` of adapters), or a row of its
 * own whose answer it is. Text with names in braces is filled in: `'{prompt} prompt'`.
 */
export type Spec =
  | ScalarValue
  | readonly Spec[]
  | { readonly row: Partial<DefinedRow> }
  /** One list of all that these come to. */
  | { readonly join: readonly Spec[] }
  | { readonly fields: Readonly<Record<string, Spec>> };

/** What must hold before a row answers. Keys are in the config's own words. */
export interface RowConditions {
  /** Keys that are all true. */
  readonly on?: readonly string[];
  readonly anyOn?: readonly string[];
  /** Keys that are all false, or absent. */
  readonly off?: readonly string[];
  /** Keys that are there and false. */
  readonly no?: readonly string[];
  readonly stated?: readonly string[];
  readonly anyStated?: readonly string[];
  readonly absent?: readonly string[];
  readonly isNull?: readonly string[];
  readonly is?: Readonly<Record<string, readonly string[]>>;
  readonly isNot?: Readonly<Record<string, readonly string[]>>;
  /** Keys whose text a regular expression finds something in. */
  readonly matches?: Readonly<Record<string, string>>;
  /** Keys with a list of which a word is found by a regular expression. */
  readonly lists?: Readonly<Record<string, string>>;
  /** Keys that hold this very value, of whatever kind. */
  readonly holds?: Readonly<Record<string, readonly ScalarValue[]>>;
  readonly above?: Readonly<Record<string, number>>;
  readonly below?: Readonly<Record<string, number>>;
  /** Quantities, details and names of `with` that are one of these values. */
  readonly equals?: Readonly<Record<string, readonly ScalarValue[]>>;
  readonly differs?: Readonly<Record<string, readonly ScalarValue[]>>;
  readonly like?: Readonly<Record<string, string>>;
  readonly more?: Readonly<Record<string, number>>;
  readonly less?: Readonly<Record<string, number>>;
  /** Those that have a value. */
  readonly known?: readonly string[];
  readonly unknown?: readonly string[];
  /** First releases, by library; `framework` is the dialect's own. */
  readonly since?: Readonly<Record<string, string>>;
  readonly before?: Readonly<Record<string, string>>;
  /** A regular expression on the config's path, in small letters and without its ending. */
  readonly path?: string;
  readonly any?: readonly RowConditions[];
  readonly not?: RowConditions;
}

/** A row of a dialect that is data: where a quantity stands, and what is made of the words there. */
export interface DefinedRow {
  /** What must hold; else the next row of the list is asked. */
  readonly when: RowConditions | null;
  /** Values with names, for what follows: a row, or the name of a quantity. */
  readonly with: Readonly<Record<string, Partial<DefinedRow>>>;
  /** What holds where one of the keys is there. */
  readonly value: { readonly is: Spec } | null;
  /** What follows from other quantities or keys, `from`. */
  readonly derived: { readonly is: Spec } | null;
  readonly from: readonly string[];
  /** How it follows: a phrase. */
  readonly why: string | null;
  /** A rule that several dialects share, by its name. */
  readonly rule: string | null;
  /** A key that names another file, which answers instead. */
  readonly part: string | null;
  /** The dialect's words for values, where they are not written as they are read. */
  readonly write: Readonly<Record<string, ScalarValue>> | null;
  /** Rows that are asked where this one has no answer. */
  readonly orElse: readonly Partial<DefinedRow>[];
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

/** How a quantity is written: the keys that are set, or why it is not. */
export interface DefinedWriter {
  /** Values that are written so: words, regular expressions between slashes, or some fields of settings. */
  readonly to: readonly ScalarValue[] | Readonly<Record<string, ScalarValue>> | null;
  /** Only the value that the run has already. */
  readonly same: boolean;
  readonly when: RowConditions | null;
  readonly with: Readonly<Record<string, Partial<DefinedRow>>>;
  /** The dialect's words for values. */
  readonly map: Readonly<Record<string, ScalarValue>> | null;
  /** Arithmetic on the value, which is `to`. */
  readonly formula: string | null;
  readonly set: readonly DefinedWrite[];
  readonly refuse: string | null;
  /** A way of writing that several dialects share, by its name, and its key. */
  readonly rule: string | null;
  readonly keys: readonly string[];
}

/** A key that is set: the first of these that is there, else the first. */
export interface DefinedWrite {
  readonly keys: readonly string[];
  /** Absent: the value that is to be written. */
  readonly value: { readonly is: Spec } | null;
  readonly near: readonly string[];
  readonly when: RowConditions | null;
}

/** Where the data of training are named. */
export interface DefinedDatasets {
  readonly path: string;
  readonly in?: string;
  readonly files?: string;
  readonly template: RowTemplate;
  /** Keys that name a chat template, the first that is there; `ownTemplate` where it is always that one. */
  readonly templates?: readonly string[];
  readonly ownTemplate?: string;
  readonly columns?: RowColumns;
}

/** Keys that state a detail, and the program's words for values where they are not written as they are. */
export type DefinedDetailKey = Pick<DetailKey<unknown>, 'keys' | 'near'> & {
  readonly write?: Readonly<Record<string, ScalarValue>>;
};

/** How a program takes its configs, its words a regular expression. */
export type DefinedProgram = Omit<Program, 'words'> & {
  readonly words?: string;
  /** Its arguments are the config: no file is one. */
  readonly argv?: true;
};

/** A finding that a dialect's own file asks for. */
export interface DefinedRule {
  readonly id: string;
  readonly severity: Severity;
  readonly when: Conditions;
  readonly at: readonly string[];
  readonly message: string;
  readonly set: { readonly key: string; readonly to: string | number | boolean } | null;
}

/** A model that the program builds itself from the config's keys, in the words of a Hugging Face `config.json`. */
export interface DefinedOwnModel {
  readonly config: Readonly<Record<string, Spec>>;
  /** It starts with random weights: plans may change its sizes. */
  readonly fromScratch: boolean;
}

/** What a file says of the project whose pack it is. */
export type DefinedPack = Pick<Pack, 'project' | 'extends' | 'evidence' | 'task'>;

/** A pack as it is compiled from its file. */
export type PackFile = DefinedPack &
  Pick<Pack, 'id' | 'signature' | 'help'> &
  Pick<DialectFile, 'title' | 'rows' | 'writers'>;

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
  /** Projects have keys of their own: what no row finds is looked for by name and place. */
  readonly byRole: boolean;
  readonly references: readonly Reference[];
  readonly program: DefinedProgram | null;
  /** Lines that the program prints, and names of sets of lines that several do (`trainerLogs`). */
  readonly logs: readonly (LogLine | string)[];
  /** Keys that state a detail, where a plan may change it. */
  readonly detailKeys: Readonly<Record<string, DefinedDetailKey>>;
  /** By name of quantity, part of one (`lora.r`) or detail. */
  readonly rows: Readonly<Record<string, DefinedRow>>;
  readonly stages: Stages | null;
  readonly ownModel: DefinedOwnModel | null;
  /** Tables of rows that several dialects share, by name, with the place or the source that they take. */
  readonly like: Readonly<Record<string, string>>;
  readonly writers: Readonly<Record<string, readonly Partial<DefinedWriter>[]>>;
  readonly datasets: readonly DefinedDatasets[];
  /** What a config is composed with: `hydra`, or the keys that name what it lies on. */
  readonly compose: 'hydra' | { readonly keys: readonly string[]; readonly ignores?: string } | null;
  readonly classKeys: readonly string[];
  /** Keys that the program has and no row asks for: they are no slips, and are offered where they may stand. */
  readonly otherKeys: readonly string[];
  /** Ids of dialects that come with Headroom, whose keys its configs may have, too. */
  readonly keysOf: readonly string[];
  readonly help: Readonly<Record<string, KeyHelp>>;
  /** How the program is started with a config, most usual first. */
  readonly launch: readonly Launch[];
  readonly rules: readonly DefinedRule[];
  /** Null: it is a dialect of its own. */
  readonly pack: DefinedPack | null;
}

/** A definition as it is compiled from a file: rows have only what they say. */
export type DialectFile = Omit<DialectDefinition, 'rows' | 'pack'> & {
  readonly rows: Readonly<Record<string, Partial<DefinedRow>>>;
};

/** A row that says nothing yet. */
export const emptyRow: DefinedRow = {
  when: null,
  with: {},
  value: null,
  derived: null,
  from: [],
  why: null,
  rule: null,
  part: null,
  write: null,
  orElse: [],
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
