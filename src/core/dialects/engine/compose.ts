import type { Pattern } from '../../spec/filePattern';
import type { Location } from '../../spec/quantity';
import type { Launched, Shipper, StatedRelease } from '../../spec/runSpec';
import type { StatedAt, YamlDocument, YamlFile, YamlNode } from '../../yaml/node';
import type { YamlPath } from '../../yaml/path';
import type { Plain } from '../../yaml/scalars';
import type { Located } from '../../text/located';
import type { Note } from './note';

/** A key and its value at a place in a file. */
export interface Setting {
  readonly path: YamlPath;
  readonly keySpan: YamlNode['span'];
  readonly value: YamlNode;
  readonly from: YamlPath;
  /** The config file that the program takes it of. */
  readonly at?: StatedAt;
  /** It is a word of a shell's text, after which another may follow. */
  readonly inText?: boolean;
}

/** A document that is part of a run. */
export interface Layer {
  readonly path: string;
  readonly yaml: YamlFile;
  readonly document: number;
  /** The path of its keys in the composed config, '' at the root; null for the config itself. */
  readonly mount: string | null;
  /** The framework that has these keys by itself; absent: a file of the user's. */
  readonly ships?: Shipper;
}

/** A missing file of a run, whose values are unknown. */
export interface Gap {
  /** The path at which its keys would appear; '' at the root. */
  readonly mount: string;
  /** The key and the place that name it. */
  readonly key: string;
  readonly at: Location;
  readonly why: string;
  /** Only the program knows it. */
  readonly open?: true;
  /** The name of the file, without its ending, if it is known. */
  readonly file?: string;
}

/** Topics of which nothing in a program changes how it trains, besides what its options and calls say. */
export interface Silence {
  readonly adapters: boolean;
  readonly sharding: boolean;
  readonly checkpointing: boolean;
  readonly accumulation: boolean;
  readonly precision: boolean;
}

/** One run of a config: the config, then its overlays, topmost last. */
export interface Composition {
  readonly name: string;
  readonly layers: readonly [Layer, ...Layer[]];
  /** The dialect of the layers, if not the document's: that of a run in an envelope. */
  readonly dialect?: string;
  readonly launched?: Launched;
  /** A turn of a loop: where its command stands, and what the loop's variables are. */
  readonly cell?: { readonly at: number; readonly variables: ReadonlyMap<string, string> };
  /** Releases that the program's own file installs: `!pip install trl==0.11.4` in a notebook. */
  readonly installs?: readonly StatedRelease[];
  /** The config's bases, lowest first. */
  readonly beneath?: readonly Layer[];
  readonly gaps?: readonly Gap[];
  /** Hydra's list of defaults is followed, as the command chooses of it. */
  readonly isComposed?: boolean;
  /** The script or module whose own flags the layers are. */
  readonly script?: string;
  /** The script is known: what it says nothing of besides the layers. */
  readonly silent?: Silence;
  /** The script computes gradients and steps by itself: it trains, whatever its options are called. */
  readonly hasLoop?: boolean;
  /** A launcher's file decides with how many GPUs the model is shared. */
  readonly isShared?: boolean;
  /** Problems in how the files are composed. */
  readonly notes?: readonly Note[];
}

/** A program, and the dialect of its arguments. */
export interface DialectProgram {
  readonly dialect: string;
  /** The general dialect of its family; absent: none. */
  readonly family?: string;
  readonly framework: Shipper;
  /** A config that it has by name; null: none of that name. */
  readonly shipped?: (name: string) => Promise<Layer | null>;
  readonly program: Program;
}

/** The files around a config, for composers. */
export interface NearbyFiles {
  /** Null if it is missing or unreadable. */
  read(path: string): Promise<YamlFile | null>;
  /** Names in a folder, sorted. */
  list(folder: string): Promise<readonly string[]>;
  /**
   * The dialect of a document, or of the flags or the config of a script; null if none is recognized. `isOwn`: no
   * framework's.
   */
  dialectOf?(document: YamlDocument, script?: string, isOwn?: boolean): string | null;
  /** The program of one's own that a command starts, read with its flags; null: it is not there. */
  ownProgram?(
    script: string,
    near: string,
    settings: readonly Setting[],
    started?: Starting,
  ): Promise<OwnProgram | null>;
  /** A config that a read script writes itself, as a part of the script; null: none writes one of this name. */
  written?(name: string): Layer | null;
  /** Keeps the configs that a script writes itself, for what looks them up by name. */
  keepWritten?(find: (name: string) => Layer | null): void;
  /** The runs of a program that stands in this file; `isFixed`: nothing is written into it. */
  programWithin?(text: Located, opened: Layer, isFixed: boolean): Promise<readonly Composition[]>;
  /** Programs that take several configs, or arguments that replace one. */
  readonly programs?: readonly DialectProgram[];
}

/** How a command starts a program, besides its flags. */
export interface Starting {
  /** The processes of a launcher; null: only the start knows how many. Absent: no launcher starts it. */
  readonly processes?: number | null;
  /** The words behind the program; absent: some are known only when it starts. */
  readonly words?: readonly string[];
}

/** A program of the user's own, as a command starts it. */
export interface OwnProgram {
  readonly silent: Silence;
  /** Names of options that it divides among its processes: what a GPU gets is known only when it runs. */
  readonly divided: readonly string[];
  /** Names of options that only label the model that another one names. */
  readonly labels: readonly string[];
  /** It has options and a training loop of its own: no framework's arguments and defaults. */
  readonly hasLoop: boolean;
  /** It calls `backward` itself, and makes no Trainer: the keys of its config are its own, whatever their names. */
  readonly isOwnLoop: boolean;
  /** The dialect if only the program's loop shows that the command trains: a reading by vocabulary. */
  readonly ofLoop: string | null;
  /** It starts a trainer or a loop, by itself or in functions that it calls. */
  readonly trains: boolean;
  /** It makes a trainer of transformers, or parses its arguments. */
  readonly hasTrainer: boolean;
  /** Modules that it imports, here or in other files of its project. */
  readonly imports: readonly string[];
  /** Its options with their defaults, and what its calls say; null: none are known. */
  readonly options: Layer | null;
  /** Trainers that it makes, with their dialects. */
  readonly runs: readonly Composition[];
  /** The config that it opens without a flag for it, with what tells its dialect: all its keys together. */
  readonly config: {
    readonly layer: Layer;
    /** With the files that its list of defaults names, in reading order. */
    readonly layers: readonly Layer[];
    readonly gaps: readonly Gap[];
    /** Flags that choose files of it. */
    readonly chosen: readonly string[];
    readonly document: YamlDocument;
  } | null;
}

/** Finds the runs of a recognized document. */
export type Composer = (opened: Layer, files: NearbyFiles) => Promise<readonly Composition[]>;

/** A document that is a complete run. */
export const alone = (opened: Layer, name = ''): Composition => ({
  name,
  layers: [{ ...opened, mount: null }],
});
/** How a program takes configs of the dialect, or arguments that replace a config. */
export interface Program {
  /** Words of a command that start it; absent: recognized by its configs. */
  readonly words?: Pattern;
  /** Scripts of the project, by name: they tell the dialect where neither flags nor the script itself do. */
  readonly scripts?: Pattern;
  /** Flags whose values are configs; later ones win. Absent: it takes one config. */
  readonly configs?: readonly string[];
  /** The extension of configs that are named without it. */
  readonly ending?: string;
  /** The table of configs that it has by name, in `shipped/`. */
  readonly shipped?: string;
  /** Words that are keys, each with its value in the next word: `SOLVER.IMS_PER_BATCH 16`. */
  readonly pairs?: Pattern;
  /** Others have its words, too: a config that is there tells which it is. */
  readonly isShared?: boolean;
  /** What its subcommands take and have by themselves; of several, the first whose words match. */
  readonly commands?: readonly Subcommand[];
  /** Flags that take no value, even if a word follows. */
  readonly switches?: readonly string[];
  /** Other spellings of flags: `b` for `batch_size`. */
  readonly aliases?: Readonly<Record<string, string>>;
  /** Flags that name the folder of the configs. */
  readonly folder?: readonly string[];
  /** A key must not occur in two of its configs. */
  readonly refusesTwice?: boolean;
  /** Keys whose flag may name a file with their content: `--trainer trainer.yaml`. */
  readonly sections?: readonly string[];
  /** Sections that are objects of a class: `--data.x` is an argument of it, and `--data Name` its name. */
  readonly classes?: readonly string[];
  /**
   * What makes flags of its family's program its own: words of the command, modules of which the script imports one, or
   * flags (several in one entry: all of them). Absent: its keys suffice. Without flags, a script that is there imports
   * such a module, or has no defaults of it.
   */
  readonly hints?: Pattern;
  readonly module?: string;
  readonly flags?: readonly string[];
  /** Flags that show that a script that is not there takes its arguments, if two are given. Absent: its keys suffice. */
  readonly own?: readonly string[];
  readonly server?: Server;
  /** Where it was found. */
  readonly source: string;
}

/** A subcommand of a program. */
export interface Subcommand {
  readonly words: Pattern;
  /** The key for the first positional argument. */
  readonly positional?: string;
  /** Keys and values that it has if nothing says otherwise. */
  readonly keys?: Plain;
  /** Where they stand. */
  readonly source: string;
}

/** How a program serves a model: its commands, and images with it as entry point. */
export interface Server {
  /** The words of a command that start it. */
  readonly start: RegExp;
  readonly image: RegExp;
  /** The words of a command that name what an image's server holds, and that image. */
  readonly holds?: { readonly words: RegExp; readonly image: RegExp };
  /** Images that do not run on supported GPUs. */
  readonly not?: RegExp;
  /** The flag for the first positional argument. */
  readonly positional?: string;
  /** Flags that take no value, even if a word follows. */
  readonly switches?: readonly string[];
  /** Other spellings of flags. */
  readonly aliases?: Readonly<Record<string, string>>;
  /** Environment variables that it reads, by flag. */
  readonly environment: Readonly<Record<string, string>>;
  /** Variables of launchers that people write themselves, by flag. */
  readonly launcher?: Readonly<Record<string, string>>;
  /** Programs that start it with defaults of their own; of several, the first whose words match. */
  readonly commands?: readonly Subcommand[];
}
