import type { FrameworkId } from '../spec/frameworkId';
import type { LogLine } from '../data/forms/line';
import type { DatasetRef } from '../spec/dataset';
import type { Unit, Quantity } from '../spec/quantity';
import type { NetworkClass } from '../models/network';
import type { OwnModel } from '../models/ownModel';
import type { DetailName, DetailValues, QuantityName, QuantityValues } from '../spec/values';
import type { ScalarValue } from '../yaml/node';
import type { DialectCall } from './engine/calls';
import type { Composer, Program } from './engine/compose';
import type { ValueReader } from './engine/readers';
import type { Hit } from './engine/layers';
import type { RunReader } from './engine/runReader';
import type { Loader, Plain } from '../yaml/scalars';
import type { Signature } from './engine/signature';

/** What a number of samples, GPUs or workers refers to. */
export type Scope = 'device' | 'node' | 'global';

/** The framework's behavior if no key states a quantity. */
export interface Default<T> {
  readonly value: T | null;
  /** The source: file and line of the framework's code. */
  readonly source: string;
  /**
   * First release with this default, of the framework or of `library`; an entry without it applies to all older
   * ones.
   */
  readonly since?: string;
  readonly library?: string;
}

/** A row of a dialect's table: where a quantity is stated and how to read it. */
export interface Row<T> {
  /** Keys that state it, in order of precedence. */
  readonly keys: readonly string[];
  readonly read: ValueReader<T>;
  /** Default: as the quantity's name implies. A `global` number is divided by the number of GPUs. */
  readonly scope?: Scope;
  readonly unit?: Unit;
  /**
   * The value if no key states it: a default, defaults by release with the newest first, or a rule. Absent: the
   * quantity is then unknown.
   */
  readonly absent?: Default<T> | readonly Default<T>[] | ((run: RunReader) => Quantity<T> | null);
  /** The value in the dialect's words if it is written differently than read; null if it has no word for it. */
  readonly write?: (value: T) => ScalarValue;
  /** Neighbors for a new key, in order of preference. */
  readonly near?: readonly string[];
  /** A note for users about the reading, such as that it is by vocabulary. */
  readonly note?: string;
}

/** A function of the run, for a quantity that is not a row. */
export interface Rule<T> {
  (run: RunReader): Quantity<T>;
  /** Of alternative rows, the one that decides for a run, if its key is read as it is and so can be written. */
  readonly rowOf?: (run: RunReader) => Row<T> | null;
}

export type QuantityTable = {
  readonly [Name in QuantityName]?: Row<QuantityValues[Name]> | Rule<QuantityValues[Name]>;
};

export type DetailTable = { readonly [Name in DetailName]?: Rule<DetailValues[Name]> };

/** A key that a change sets, as the dialect writes it. */
export interface KeyWrite {
  readonly key: string;
  readonly value: ScalarValue;
  /** Neighbors for a new key, in order of preference. */
  readonly near?: readonly string[];
}

/** The keys that a change needs, or why this dialect or run cannot express it. */
export type Written =
  | { readonly ok: true; readonly writes: readonly KeyWrite[] }
  | { readonly ok: false; readonly why: string };

export type WriterTable = {
  readonly [Name in QuantityName]?: (to: QuantityValues[Name], run: RunReader) => Written;
};

/** How a detail is written if it has its own key. */
export interface DetailKey<T> {
  /** Keys that state it, in order of precedence. */
  readonly keys: readonly string[];
  /** Those of one run, if they depend on its program; the last is written if none is there. */
  readonly keysOf?: (run: RunReader) => readonly string[];
  /** The value in the dialect's words if it is written differently; null if it has no word for it. */
  readonly write?: (value: T) => ScalarValue;
  /** Neighbors for a new key, in order of preference. */
  readonly near?: readonly string[];
}

export type DetailKeys = { readonly [Name in DetailName]?: DetailKey<DetailValues[Name]> };

/** A key that names another file, or contains it inline. */
export interface Reference {
  readonly key: string;
  /** The dialect of the referenced file. */
  readonly dialect: string;
  /**
   * Presets that the framework ships, used if there is no such file: the facts that matter, as the file would state
   * them. `name` matches the last part of the reference's path (`zero3.json`) or the whole word (`zero3`).
   */
  readonly presets?: Readonly<Record<string, Plain>>;
}

/** A file with one of these keys was written for these releases or older ones. */
export interface Evidence {
  readonly keys: readonly string[];
  /** Values of these keys that newer releases do not have, as a pattern; absent: they do not have the keys. */
  readonly values?: string;
  readonly upTo: Readonly<Record<string, string>>;
  readonly source: string;
}

/** A command that starts a framework with a config. */
export interface Launch {
  /**
   * Words of the command. Placeholders: `{config}` is the file's path, `{folder}` its folder and `{name}` its name
   * without extension; `{gpus}` and `{nodes}` are the run's numbers, `{model}` is its model, `{stage}` the number
   * at the start of the run's name. Other words in braces, and those in capitals, are for the user to fill in.
   */
  readonly argv: readonly string[];
  /** Tasks that it applies to; absent: all. */
  readonly tasks?: readonly string[];
  /** Applies only to configs that set one of these keys; absent: to all. */
  readonly keys?: readonly string[];
  /** The action for display: `export`; absent: the task. */
  readonly verb?: string;
  /** Words that resume a run from its last checkpoint; absent: not possible without more words. */
  readonly resume?: readonly string[];
  /** Keys of the config that name outputs. */
  readonly writes?: readonly string[];
  /** Other commands that run the same config: `litgpt finetune_lora`. */
  readonly also?: readonly string[];
  /** The program that the command delegates the work to; the command ends before the work does. */
  readonly handsTo?: string;
  /** Where it was found. */
  readonly source: string;
}

/** Help for a key: shown on hover, and its values as completions. */
export interface KeyHelp {
  /** A sentence about its effect, especially on memory. */
  readonly text: string;
  /** All possible values, if there are few. */
  readonly values?: readonly string[];
  /** The default, if no row of the table states it. */
  readonly byDefault?: string;
}

/**
 * Distinguishes a project's configs from others of the same dialect. One condition must hold: the config names a
 * class of the project, or has a key that only its configs have.
 */
interface PackEvidence {
  /** Modules with the project's classes: `strhub` contains `strhub.models.PARSeq`. */
  readonly modules?: readonly string[];
  /** Keys that name the project's classes, tried before the `classKeys` of the general dialect. */
  readonly classKeys?: readonly string[];
  readonly keys?: readonly string[];
}

/** A row of a pack: only says where a quantity is stated. The general dialect provides defaults. */
export type PackRow<T> = Omit<Row<T>, 'absent' | 'note'>;

/** A rule of a pack; null: the general dialect decides. */
export type PackRule<T> = (run: RunReader) => Quantity<T> | null;

/** A project's extension of a general dialect. */
export interface Pack {
  readonly id: string;
  /** The repository and its commit. */
  readonly project: string;
  /** Ids of the general dialects that it extends. */
  readonly extends: readonly string[];
  readonly evidence: PackEvidence;
  /** Keys that identify the project's files, added to the general dialect's signature. */
  readonly signature?: Partial<Pick<Signature, 'strong' | 'medium' | 'weak' | 'needs'>>;
  /** The task of the project's classes. */
  readonly task?: string;
  /** Tried before the general dialect's own table. */
  readonly quantities?: {
    readonly [Name in QuantityName]?: PackRow<QuantityValues[Name]> | PackRule<QuantityValues[Name]>;
  };
  readonly details?: { readonly [Name in DetailName]?: PackRule<DetailValues[Name]> };
  /** Tried before the general dialect's own. Not needed for a row of the pack whose key is present. */
  readonly writers?: WriterTable;
  readonly help?: Readonly<Record<string, KeyHelp>>;
}

/**
 * Of some values, finds those whose names are about a quantity in most people's configs, and which say something else
 * than what is assumed. The values are read once for all quantities.
 */
export type NamedKeys = (values: readonly Hit[]) => (name: QuantityName, assumed: unknown) => readonly Hit[];

/** A framework's config format, as data. */
export interface Dialect {
  /** Its id in outputs; never changes. */
  readonly id: string;
  readonly title: string;
  readonly role: 'run' | 'part';
  /** The release that the tables describe, and those of relevant libraries. */
  readonly framework: {
    /** Its id in the memory model; null: no profile, or the dialect does not name it. */
    readonly id: FrameworkId | null;
    readonly name: string;
    readonly version: string;
    readonly libraries?: Readonly<Record<string, string>>;
  };
  readonly evidence?: readonly Evidence[];
  /** Engines with code of their own; the first that `runs` a config has its model. Without one, the framework's code does. */
  readonly engines?: readonly {
    readonly id: FrameworkId | null;
    readonly runs: (run: RunReader) => boolean;
  }[];
  readonly loader: Loader;
  readonly signature: Signature;
  /** Sections that may hold the dialect's keys instead of the root: `training_args`. */
  readonly roots?: readonly string[];
  readonly quantities: QuantityTable;
  /**
   * Quantities as their names and places tell them, for a dialect whose keys every project chooses: asked where the table
   * has no answer, or only a default.
   */
  readonly byRole?: (run: RunReader) => QuantityTable;
  /** For a dialect of one program: a key that it does not have but that has a quantity's meaning by name leaves no default. */
  readonly named?: NamedKeys;
  readonly details?: DetailTable;
  /** The model that the config's own keys describe; null if it names a model or leaves out a size. */
  readonly ownModel?: (run: RunReader) => OwnModel | null;
  /** The class of the project's own code that makes the network; null if the config names none. */
  readonly network?: (run: RunReader) => NetworkClass | null;
  /** How to write quantities that are not plain rows. */
  readonly writers?: WriterTable;
  /** Details that plans may change. */
  readonly detailKeys?: DetailKeys;
  readonly references?: readonly Reference[];
  /** The training data that the config names; absent: by the usual keys. */
  readonly datasets?: (run: RunReader) => readonly DatasetRef[];
  readonly launch?: readonly Launch[];
  readonly program?: Program;
  /** Calls of Python code whose arguments are keys. */
  readonly calls?: readonly DialectCall[];
  readonly logs?: readonly LogLine[];
  /** Keys by their path below the root or a section of `roots`. */
  readonly help?: Readonly<Record<string, KeyHelp>>;
  /** Other known keys: those in conditions, and listed keys of the program. */
  readonly keys?: () => readonly string[];
  /** The known values of a key, if there are few. */
  readonly words?: (key: string) => readonly string[];
  /** Ids of dialects whose keys its configs may also have. */
  readonly keysOf?: readonly string[];
  /** Keys that name classes of a project's own code, which identify packs. */
  readonly classKeys?: readonly string[];
  /** Extensions for single projects; each applies to configs with its evidence. */
  readonly packs?: readonly Pack[];
  /** Finds the files of a config's runs; absent: a config is one complete run. */
  readonly compose?: Composer;
}

/** Looks up a dialect by id; passed in, so that the engine does not depend on the dialects. */
export type DialectLookup = (id: string) => Dialect | undefined;
