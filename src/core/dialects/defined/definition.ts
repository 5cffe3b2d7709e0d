import type { RowColumns, RowTemplate } from '../../spec/dataset';
import type { RunSpec } from '../../spec/runSpec';
import type { Unit } from '../../spec/quantity';
import type { ScalarValue } from '../../yaml/node';
import type { Conditions, Severity } from '../../spec/conditions';
import type { LogLine } from '../../data/forms/line';
import type { MegatronFamily } from '../../models/megatron';
import type {
  Default,
  DetailKey,
  Dialect,
  Evidence,
  KeyHelp,
  Launch,
  Pack,
  Reference,
  Scope,
} from '../dialect';
import type { Program, Server, Subcommand } from '../engine/compose';
import type { Loader } from '../../yaml/scalars';
import type { FrameworkId } from '../../spec/frameworkId';
import type { Signature } from '../engine/signature';
import type { Stages } from '../engine/stages';
import type { DialectCall } from '../engine/calls';
import type { RowKind } from './words';

/** The value of a row without a key, and its source. */
export interface SourcedValue {
  /** Null: none (not quantized, no sharding). */
  readonly value: Spec;
  readonly source: string;
}

/**
 * A value in a dialect file: a scalar, a list, fields of settings (`r`, `alpha` of adapters), or a nested row.
 * Names in braces are substituted: `'{prompt} prompt'`.
 */
export type Spec =
  | ScalarValue
  | readonly Spec[]
  | { readonly row: Partial<DefinedRow> }
  /** Concatenates these values into one list. */
  | { readonly join: readonly Spec[] }
  | { readonly fields: Readonly<Record<string, Spec>> };

type Table<Names extends string, T> = Readonly<Partial<Record<Names, Readonly<Record<string, T>>>>>;
type Lists<Names extends string> = Readonly<Partial<Record<Names, readonly string[]>>>;

/**
 * Conditions of a row, as format.yaml describes them. Keys are as the config writes them; other names are those of
 * quantities, details and `with`.
 */
export interface RowConditions
  extends
    Lists<'on' | 'anyOn' | 'off' | 'no' | 'stated' | 'anyStated' | 'absent' | 'isNull' | 'known' | 'unknown'>,
    Table<'is' | 'isNot', readonly string[]>,
    Table<'holds' | 'equals' | 'differs', readonly ScalarValue[]>,
    Table<'above' | 'below' | 'more' | 'less', number>,
    Table<'matches' | 'lists' | 'like' | 'since' | 'before', string> {
  readonly path?: string;
  readonly any?: readonly RowConditions[];
  readonly not?: RowConditions;
}

/** A row of a dialect as data: where a quantity is stated, and how to read it. */
export interface DefinedRow {
  /** Conditions; if they fail, the next row of the list is tried. */
  readonly when: RowConditions | null;
  /** Named values for use in the row: a nested row, or the name of a quantity. */
  readonly with: Readonly<Record<string, Partial<DefinedRow>>>;
  /** The value if one of the keys is present. */
  readonly value: { readonly is: Spec } | null;
  /** A value derived from other quantities or keys, `from`. */
  readonly derived: { readonly is: Spec } | null;
  readonly from: readonly string[];
  /** Describes the derivation, as a phrase. */
  readonly why: string | null;
  /** The name of a shared rule. */
  readonly rule: string | null;
  /** A key that names another file, which answers instead. */
  readonly part: string | null;
  /** The dialect's words for values, if it writes them differently than it reads them. */
  readonly write: Readonly<Record<string, ScalarValue>> | null;
  /** Rows to try if this one has no answer. */
  readonly orElse: readonly Partial<DefinedRow>[];
  /** Keys that state it, in order of precedence. */
  readonly keys: readonly string[];
  /** Another row that it derives from if none of its keys is set. */
  readonly of: string | null;
  /** The meaning of values in the file; a name between slashes is a regular expression. Empty: unchanged. */
  readonly map: readonly (readonly [words: string, meaning: ScalarValue])[];
  /** Arithmetic on the stated number `x`: `x + 2`. */
  readonly formula: string | null;
  readonly scope: Scope | null;
  readonly unit: Unit | null;
  /** The program's default if no key states it. */
  readonly default: SourcedValue | null;
  /** What the program does whatever the config says. */
  readonly always: SourcedValue | null;
  /** The assumption of a reading by vocabulary if no key states it: a sentence. */
  readonly assumed: SourcedValue | null;
  /** Why a stated value does not determine the quantity: a sentence. */
  readonly doubt: string | null;
  readonly note: string | null;
  /** The kind of the value, if not the one of the row's name. */
  readonly read: RowKind | null;
  /** Words (case-insensitive) and their meanings. */
  readonly oneOf: Readonly<Record<string, ScalarValue>> | null;
  /** Defaults by release, newest first. */
  readonly defaults: readonly Default<unknown>[];
  /** Why no file states it: a sentence. */
  readonly unknown: string | null;
  /** Neighbors for a new key, in order of preference. */
  readonly near: readonly string[];
}

/** How a quantity is written: the keys to set, or why that is not possible. */
export interface DefinedWriter {
  /** Values that this way applies to: words, regular expressions between slashes, or some fields of settings. */
  readonly to: readonly ScalarValue[] | Readonly<Record<string, ScalarValue>> | null;
  /** Applies only to the current value of the run. */
  readonly same: boolean;
  readonly when: RowConditions | null;
  readonly with: Readonly<Record<string, Partial<DefinedRow>>>;
  /** The dialect's words for values. */
  readonly map: Readonly<Record<string, ScalarValue>> | null;
  /** Arithmetic on the value `to`. */
  readonly formula: string | null;
  readonly set: readonly DefinedWrite[];
  readonly refuse: string | null;
  /** The name of a shared way of writing, and its key. */
  readonly rule: string | null;
  readonly keys: readonly string[];
}

/** A key to set: the first of these that is present, else the first. */
export interface DefinedWrite {
  readonly keys: readonly string[];
  /** Absent: the new value itself. */
  readonly value: { readonly is: Spec } | null;
  readonly near: readonly string[];
  readonly when: RowConditions | null;
}

/** Keys that name the training data. */
export interface DefinedDatasets {
  readonly path: string;
  readonly in?: string;
  readonly files?: string;
  readonly maker?: string;
  readonly makes?: Readonly<Record<string, string>>;
  readonly template: RowTemplate;
  /** Keys that name a chat template, in order of precedence; `ownTemplate` if it is always the same. */
  readonly templates?: readonly string[];
  readonly ownTemplate?: string;
  readonly columns?: RowColumns;
}

/** Keys that state a detail, and the program's words for values if it writes them differently. */
export type DefinedDetailKey = Pick<DetailKey<unknown>, 'keys' | 'near'> & {
  readonly write?: Readonly<Record<string, ScalarValue>>;
};

/** How a program serves a model, with its words as regular expressions. */
export type DefinedServer = Partial<
  Pick<Server, 'positional' | 'switches' | 'aliases' | 'environment' | 'launcher'>
> &
  Readonly<Record<'start' | 'image', string>> & {
    readonly not?: string;
    readonly holds?: Readonly<Record<'words' | 'image', string>>;
    /** Flags that a variable of the same name sets. */
    readonly variables?: readonly string[];
    readonly commands?: readonly DefinedSubcommand[];
  };

type DefinedSubcommand = Omit<Subcommand, 'words'> & { readonly words: string };

/** How a program takes its configs, with its words as a regular expression. */
export type DefinedProgram = Omit<
  Program,
  'words' | 'scripts' | 'hints' | 'pairs' | 'server' | 'commands'
> & {
  readonly pairs?: string;
  readonly commands?: readonly DefinedSubcommand[];
  readonly server?: DefinedServer;
  readonly words?: string;
  readonly scripts?: string;
  readonly hints?: string;
  /** Its arguments are the config; it has no config file. */
  readonly argv?: true;
};

/** A finding that a dialect file defines. */
export interface DefinedRule {
  readonly id: string;
  readonly severity: Severity;
  readonly when: Conditions;
  readonly at: readonly string[];
  readonly message: string;
  readonly set: { readonly key: string; readonly to: string | number | boolean } | null;
}

/** A model that the program builds from the config's keys; of several, the first whose conditions hold. */
export interface DefinedOwnModel {
  /** Whose names the sizes have: a Hugging Face `config.json`, or Megatron's arguments. */
  readonly as?: 'config.json' | 'megatron';
  /** The model class of Megatron's program; default: `gpt`. */
  readonly family?: MegatronFamily;
  readonly when?: RowConditions;
  readonly with?: DefinedRow['with'];
  /** Sizes without which the model is unknown. */
  readonly config: Readonly<Record<string, Spec>>;
  /** Sizes that are left out where nothing states them. */
  readonly perhaps: Readonly<Record<string, Spec>>;
  /** It starts with random weights: plans may change its sizes. */
  readonly fromScratch?: true;
}

/** The project of a pack. */
export type DefinedPack = Pick<Pack, 'project' | 'extends' | 'evidence' | 'task'>;

/** A pack, compiled from its file. */
export type PackFile = DefinedPack &
  Pick<Pack, 'id' | 'signature' | 'help'> &
  Pick<DialectFile, 'title' | 'rows' | 'writers'>;

/** A dialect as data: from a file in `.headroom/dialects`, or from a reading by vocabulary. */
export interface DialectDefinition {
  readonly id: string;
  readonly title: string;
  /** Its path; '' for a reading by vocabulary. */
  readonly file: string;
  readonly loader: Loader;
  readonly signature: Signature;
  readonly sections: readonly string[];
  /** `run`: a config is a complete run; `part`: other configs name it. */
  readonly role: Dialect['role'];
  /** The release that the file describes; null: no framework. */
  readonly framework: Dialect['framework'] | null;
  /** Engines with code of their own that runs are handed to; the first whose conditions hold. */
  readonly engines: readonly { readonly id: FrameworkId | null; readonly when: RowConditions }[];
  /** Keys that tell for which releases a file was written. */
  readonly releases: readonly Evidence[];
  /** Quantities without a row: `none`: the program does not support them; `unknown`: not known. */
  readonly unstated: 'none' | 'unknown';
  /**
   * Projects have keys of their own: what no row finds is looked for by name and place, in all keys or in those that the format does
   * not have.
   */
  readonly byRole: boolean | 'unread';
  readonly references: readonly Reference[];
  readonly program: DefinedProgram | null;
  /** Calls of Python code whose arguments are keys. */
  readonly calls: readonly DialectCall[];
  /** Lines that the program prints, and names of shared sets of lines (`trainerLogs`). */
  readonly logs: readonly (LogLine | string)[];
  /** Keys that state a detail, if a plan may change it. */
  readonly detailKeys: Readonly<Record<string, DefinedDetailKey>>;
  /** By name of a quantity, of a part of one (`lora.r`), or of a detail. */
  readonly rows: Readonly<Record<string, DefinedRow>>;
  readonly stages: Stages | null;
  readonly ownModel: readonly DefinedOwnModel[];
  /** Shared tables of rows, by name, with the path or source that they apply to. */
  readonly like: Readonly<Record<string, string>>;
  readonly writers: Readonly<Record<string, readonly Partial<DefinedWriter>[]>>;
  readonly datasets: readonly DefinedDatasets[];
  /** How a config is composed: `hydra`, or the keys that name its base files. */
  readonly compose: 'hydra' | { readonly keys: readonly string[]; readonly ignores?: string } | null;
  readonly classKeys: readonly string[];
  /** Keys of the program without a row: not typos, and offered as completions. */
  readonly otherKeys: readonly string[];
  /** Ids of built-in dialects whose keys its configs may also have. */
  readonly keysOf: readonly string[];
  readonly help: Readonly<Record<string, KeyHelp>>;
  /** Commands that start the program with a config, most common first. */
  readonly launch: readonly Launch[];
  readonly rules: readonly DefinedRule[];
  /** Null: not a pack. */
  readonly pack: DefinedPack | null;
}

/** A definition that is compiled from a file: rows only have their stated fields. */
export type DialectFile = Omit<DialectDefinition, 'rows' | 'pack'> & {
  readonly rows: Readonly<Record<string, Partial<DefinedRow>>>;
};

/** An empty row. */
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

/** A definition without content. */
export const emptyDefinition: DialectDefinition = {
  ...{ id: '', title: '', file: '', loader: 'pyyaml', role: 'run', unstated: 'none', byRole: false },
  signature: { strong: [], medium: [], weak: [], against: [], least: 4 },
  ...{ framework: null, program: null, stages: null, compose: null, pack: null },
  ...{
    sections: [],
    ownModel: [],
    engines: [],
    releases: [],
    references: [],
    calls: [],
    logs: [],
    datasets: [],
  },
  ...{ classKeys: [], otherKeys: [], keysOf: [], launch: [], rules: [] },
  ...{ rows: {}, detailKeys: {}, like: {}, writers: {}, help: {} },
};

/** The definition of a run's dialect, if it is not built in. */
export function definitionOf({ definition }: Pick<RunSpec, 'definition'>): DialectDefinition | null {
  return definition !== undefined && isDefinition(definition) ? definition : null;
}

const isDefinition = (definition: object): definition is DialectDefinition =>
  'rows' in definition && 'signature' in definition;
