import type { FrameworkId } from './frameworkId';
import type { OwnModel } from '../models/ownModel';
import type { YamlFile } from '../yaml/node';
import type { YamlPath } from '../yaml/path';
import type { Location, Quantity } from './quantity';
import type { DetailName, DetailValues, QuantityName, QuantityValues } from './values';

export type Quantities = { readonly [Name in QuantityName]: Quantity<QuantityValues[Name]> };
export type Details = { readonly [Name in DetailName]?: Quantity<DetailValues[Name]> };

/** A framework as far as its behavior is decided by it; `version: null` when nothing tells. */
export interface Framework {
  /** What the memory model knows it by; null: it has no profile of it, or no one says that the run is of that framework. */
  readonly id: FrameworkId | null;
  readonly name: string;
  readonly version: string | null;
  /** Other releases that matter, where they are known: `{ transformers: '4.48', torch: '2.4.1' }`. */
  readonly libraries?: Readonly<Record<string, string>>;
  /** Someone said so; else these are today's releases, or the newest that still take all of a config's keys. */
  readonly stated?: boolean;
}

/** How a run refers to a source. */
export type Via =
  /** The config itself. */
  | { readonly kind: 'config' }
  /** Laid over the config: its keys appear below `mount` and win (a curriculum stage). */
  | { readonly kind: 'overlay'; readonly mount: string }
  /** The config lies over it: its keys appear below `mount`, and the config's own win (`_BASE_`). */
  | { readonly kind: 'beneath'; readonly mount: string }
  /** Named by `key` in a file of the dialect `by`; an inline mapping is named by its own key. */
  | { readonly kind: 'reference'; readonly by: string; readonly key: string; readonly inline: boolean }
  /** Named like a reference, but there is no such file: what the framework ships under that name. */
  | {
      readonly kind: 'preset';
      readonly by: string;
      readonly key: string;
      readonly framework: string;
      readonly version: string;
    };

/** A file that a run was read from. */
export interface SourceFile {
  readonly path: string;
  readonly yaml: YamlFile;
  /** Which document of the file. */
  readonly document: number;
  /** Where the run's keys begin in it: [] for the root. */
  readonly base: YamlPath;
  /** Dialect whose words it speaks. */
  readonly dialect: string;
  readonly via: Via;
}

/** A file that a run names and that could not be read. */
export interface MissingFile {
  /** Dialect of the file that names it, the key that does, and where. */
  readonly by: string;
  readonly key: string;
  readonly at: Location;
  /** A sentence: what was looked for, and where. */
  readonly why: string;
  /** Its name is known only when the run starts. */
  readonly open?: true;
  /** Where its keys would have appeared among the config's own; absent for files of another dialect. */
  readonly mount?: string;
}

/** The canonical description of one run. */
export interface RunSpec {
  /** Tells several runs of one file apart: `01_stage`, `document 2`; '' when there is one. */
  readonly name: string;
  readonly dialect: string;
  /** `part`: it only contributes to runs (a DeepSpeed JSON, an accelerate YAML): read and shown, never estimated. */
  readonly role: 'run' | 'part';
  readonly framework: Framework;
  /** Ids of the packs whose project the config belongs to; absent: none. */
  readonly packs?: readonly string[];
  readonly quantities: Quantities;
  readonly details: Details;
  /** What the config itself says of the model's sizes, where it builds one instead of naming it. */
  readonly ownModel?: OwnModel;
  /** The config first, then what is laid over it, then the files it names. */
  readonly sources: readonly SourceFile[];
  readonly missingFiles: readonly MissingFile[];
  /** Sizes in the config's own words, where no profile tells what the framework's model is made of: part of the run's identity. */
  readonly ownSizes?: string;
  /** Values that a person gave instead of a file; they win over every source. */
  readonly given: Given;
  /** What the launcher around the config says: a job's nodes and GPUs. It wins over the config. */
  readonly launched?: Launched;
  /** Files that name the config and were not opened themselves. */
  readonly startedBy?: StartedBy;
  /** What its dialect is made of, where that does not come with Headroom: a file of the workspace, or a reading by vocabulary. */
  readonly definition?: { readonly file: string };
}

/** Files that start a run with a config. */
export interface StartedBy {
  readonly files: readonly string[];
  /** They start it alike, and the run is what they start; else it is the config by itself. */
  readonly agree: boolean;
  /** The run is another file's, shown next to a part that it takes. */
  readonly beside?: true;
}

/** Quantities that an envelope (a manifest, a job script) decides for what it starts. */
export type Launched = Partial<Pick<Quantities, 'devices' | 'nodes' | 'accelerator' | 'model'>> & {
  /** Which of a machine's GPUs it gets, where a file says so: `0`, a UUID. Others may be given the same ones. */
  readonly deviceIds?: readonly string[];
  /** It is started only when one of these is asked for (Compose's profiles). */
  readonly profiles?: readonly string[];
  /** The GPU that is asked for, as its scheduler names it. */
  readonly gpu?: Quantity<string>;
  /** The program or script that is started, as a path: its name often says the task. */
  readonly program?: string;
};

/** Quantities given from outside the files, and by what: `--gpus`, `headroom.gpuCount`. */
export interface Given {
  readonly values: Partial<QuantityValues>;
  readonly setting: string;
}
