import type { Pattern } from '../spec/filePattern';
import type { FrameworkId } from '../spec/frameworkId';
import type { LogLine } from '../data/forms/line';
import type { DatasetRef } from '../spec/dataset';
import type { Unit, Quantity } from '../spec/quantity';
import type { OwnModel } from '../models/ownModel';
import type { DetailName, DetailValues, QuantityName, QuantityValues } from '../spec/values';
import type { ScalarValue } from '../yaml/node';
import type { Composer } from './engine/compose';
import type { ValueReader } from './engine/readers';
import type { RunReader } from './engine/runReader';
import type { Loader, Plain } from '../yaml/scalars';
import type { Signature } from './engine/signature';

/** Whose samples, GPUs or workers a number counts. */
export type Scope = 'device' | 'node' | 'global';

/** What the framework does when no key states a quantity. */
export interface Default<T> {
  readonly value: T | null;
  /** Where that was read: file and line of the framework's source. */
  readonly source: string;
  /** First release that does so, of the framework or of `library`; the entry without it holds for all older ones. */
  readonly since?: string;
  readonly library?: string;
}

/** A row of a dialect's table: where a quantity stands and how it is read. */
export interface Row<T> {
  /** Keys that state it, the one that wins first. */
  readonly keys: readonly string[];
  readonly read: ValueReader<T>;
  /** Default: what the quantity's name says. A `global` number is divided by the number of GPUs. */
  readonly scope?: Scope;
  readonly unit?: Unit;
  /**
   * What holds when no key states it: a default, defaults by release with the newest first, or a rule. Without it
   * the quantity is not known then.
   */
  readonly absent?: Default<T> | readonly Default<T>[] | ((run: RunReader) => Quantity<T> | null);
  /** The value in the dialect's words when it is not written as it is read; null when it has no word for it. */
  readonly write?: (value: T) => ScalarValue;
  /** Keys beside which a new key belongs, most wanted first. */
  readonly near?: readonly string[];
  /** What people should know of the reading: that it is one by vocabulary. */
  readonly note?: string;
}

/** Where a quantity is not a row: a small function of the run. */
export type Rule<T> = (run: RunReader) => Quantity<T>;

export type QuantityTable = {
  readonly [Name in QuantityName]?: Row<QuantityValues[Name]> | Rule<QuantityValues[Name]>;
};

export type DetailTable = { readonly [Name in DetailName]?: Rule<DetailValues[Name]> };

/** One key that a change sets, in the dialect's words. */
export interface KeyWrite {
  readonly key: string;
  readonly value: ScalarValue;
  /** Keys beside which a new key belongs, most wanted first. */
  readonly near?: readonly string[];
}

/** The keys that a change needs, or why this dialect or this run cannot take it. */
export type Written =
  { readonly ok: true; readonly writes: readonly KeyWrite[] } | { readonly ok: false; readonly why: string };

export type WriterTable = {
  readonly [Name in QuantityName]?: (to: QuantityValues[Name], run: RunReader) => Written;
};

/** How a detail is written, where a key of its own says it. */
export interface DetailKey<T> {
  /** Keys that state it, the one that wins first. */
  readonly keys: readonly string[];
  /** The value in the dialect's words when it is not written as it is; null when it has no word for it. */
  readonly write?: (value: T) => ScalarValue;
  /** Keys beside which a new key belongs, most wanted first. */
  readonly near?: readonly string[];
}

type DetailKeys = { readonly [Name in DetailName]?: DetailKey<DetailValues[Name]> };

/** A key that names another file, or holds its content inline. */
export interface Reference {
  readonly key: string;
  /** Dialect of what it names. */
  readonly dialect: string;
  /**
   * What the framework ships under a name, for when no such file is there: facts that matter here, as the file
   * would state them. `name` matches the reference's last path part (`zero3.json`) or the whole word (`zero3`).
   */
  readonly presets?: Readonly<Record<string, Plain>>;
}

/** A file that has one of these keys was written for these releases or older ones. */
export interface Evidence {
  readonly keys: readonly string[];
  readonly upTo: Readonly<Record<string, string>>;
  readonly source: string;
}

/** How a framework is started with a config. */
export interface Launch {
  /**
   * Words of the command; `{config}` is the file's path, `{folder}` where it lies and `{name}` its name without ending,
   * `{gpus}` and `{nodes}` are how many the run has, `{model}` is its model, `{stage}` the number that the run's name begins
   * with. Other words in braces, and those in capitals,
   * are for people to fill in.
   */
  readonly argv: readonly string[];
  /** Tasks that are started so; all without it. */
  readonly tasks?: readonly string[];
  /** Only configs that set one of these keys are started so; all without it. */
  readonly keys?: readonly string[];
  /** What it does to the config, for people: `export`; absent: what its task is. */
  readonly verb?: string;
  /** Words of the command that lets a run go on from its last checkpoint; absent: it has none that needs no more words. */
  readonly resume?: readonly string[];
  /** Keys of the config that name what the run writes, where they are set. */
  readonly writes?: readonly string[];
  /** Whom the command only hands the work to: it ends when that has it. */
  readonly handsTo?: string;
  /** Where that was read. */
  readonly source: string;
}

/** What a key does, for people: shown when hovered, and its values when typed. */
export interface KeyHelp {
  /** A sentence: what it does, to memory above all. */
  readonly text: string;
  /** All values it may have, where they are few. */
  readonly values?: readonly string[];
  /** What holds without it, where no row of the table says so. */
  readonly byDefault?: string;
}

/** How the program that reads a dialect's configs takes them, or arguments that are a config by themselves. */
export interface Program {
  /** The words of a command that start it; without them it is known by its configs. */
  readonly words?: Pattern;
  /** Flags of which each value is a config, the later laid over the earlier. Without them it takes one. */
  readonly configs?: readonly string[];
  /** What the names of configs end with where they are written without. */
  readonly ending?: string;
  /** Flags that name the folder of the configs. */
  readonly folder?: readonly string[];
  /** A key must not stand in two of its configs. */
  readonly refusesTwice?: boolean;
  /** Keys whose flag may name a file with what stands below them: `--trainer trainer.yaml`. */
  readonly sections?: readonly string[];
  /** Those of them that are objects of a class: `--data.x` is an argument of it, and `--data Name` its name. */
  readonly classes?: readonly string[];
  /** Where that was read. */
  readonly source: string;
}

/**
 * How a project's configs are told from others of the same dialect. One of these has to hold: a class of the project's
 * is named, or a key stands there that only its configs have.
 */
interface PackEvidence {
  /** Modules with the project's classes: `strhub` holds `strhub.models.PARSeq`. */
  readonly modules?: readonly string[];
  /** Keys that name the project's classes, asked before the `classKeys` of the general dialect. */
  readonly classKeys?: readonly string[];
  readonly keys?: readonly string[];
}

/** A row of a pack: it only says where a quantity stands. What holds without a key is the general dialect's matter. */
export type PackRow<T> = Omit<Row<T>, 'absent' | 'note'>;

/** A rule of a pack; null: the general dialect answers. */
export type PackRule<T> = (run: RunReader) => Quantity<T> | null;

/** What one project's configs say beyond the general dialect that they are written in. */
export interface Pack {
  readonly id: string;
  /** The repository, and the commit that was read. */
  readonly project: string;
  /** Ids of the general dialects that it extends. */
  readonly extends: readonly string[];
  readonly evidence: PackEvidence;
  /** Keys that tell the project's files, added to the general dialect's signature. */
  readonly signature?: Partial<Pick<Signature, 'strong' | 'medium' | 'weak' | 'needs'>>;
  /** What the project's classes are trained for. */
  readonly task?: string;
  /** Asked before the general dialect's own table. */
  readonly quantities?: {
    readonly [Name in QuantityName]?: PackRow<QuantityValues[Name]> | PackRule<QuantityValues[Name]>;
  };
  readonly details?: { readonly [Name in DetailName]?: PackRule<DetailValues[Name]> };
  /** Asked before the general dialect's own. A row of the pack whose key is there needs none. */
  readonly writers?: WriterTable;
  readonly help?: Readonly<Record<string, KeyHelp>>;
}

/** The language of one framework's configs, as data. */
export interface Dialect {
  /** As outputs name it; it never changes. */
  readonly id: string;
  readonly title: string;
  readonly role: 'run' | 'part';
  /** The release that the tables describe, and those of the libraries that decide with it. */
  readonly framework: {
    /** What the memory model knows it by; null: it has no profile of it, or the dialect does not say that it is of it. */
    readonly id: FrameworkId | null;
    readonly name: string;
    readonly version: string;
    readonly libraries?: Readonly<Record<string, string>>;
  };
  readonly evidence?: readonly Evidence[];
  readonly loader: Loader;
  readonly signature: Signature;
  /** Sections in which the dialect's keys may stand instead of the root: `training_args`. */
  readonly roots?: readonly string[];
  readonly quantities: QuantityTable;
  /**
   * Quantities as their names and places tell them, for a dialect whose keys every project chooses: asked where the table
   * has no answer, or only a default.
   */
  readonly byRole?: (run: RunReader) => QuantityTable;
  readonly details?: DetailTable;
  /** The model that the config's own keys describe; null where it names one, or leaves out a size. */
  readonly ownModel?: (run: RunReader) => OwnModel | null;
  /** How quantities are written that are no plain rows. */
  readonly writers?: WriterTable;
  /** Details that plans may change. */
  readonly detailKeys?: DetailKeys;
  readonly references?: readonly Reference[];
  /** The data of training that the config names; absent: by the words that most people have for it. */
  readonly datasets?: (run: RunReader) => readonly DatasetRef[];
  readonly launch?: readonly Launch[];
  readonly program?: Program;
  readonly logs?: readonly LogLine[];
  /** Keys by their path below the root or a section of `roots`. */
  readonly help?: Readonly<Record<string, KeyHelp>>;
  /** Further keys that its file speaks of: those in conditions, and those that the program has and nothing here asks for. */
  readonly keys?: () => readonly string[];
  /** The words that its rows have for the value of a key, where they are few. */
  readonly words?: (key: string) => readonly string[];
  /** Ids of dialects whose keys its configs may have, too. */
  readonly keysOf?: readonly string[];
  /** Keys that name classes of a project's own code: packs are told by them. */
  readonly classKeys?: readonly string[];
  /** What single projects add; each holds for configs that show its evidence. */
  readonly packs?: readonly Pack[];
  /** Finds the files of a config's runs; without it a config is one run by itself. */
  readonly compose?: Composer;
}
