import type { FrameworkId } from './frameworkId';
import type { NetworkClass } from '../models/network';
import type { OwnModel } from '../models/ownModel';
import type { YamlFile } from '../yaml/node';
import type { YamlPath } from '../yaml/path';
import type { Location, Quantity } from './quantity';
import type { DetailName, DetailValues, QuantityName, QuantityValues } from './values';

export type Quantities = { readonly [Name in QuantityName]: Quantity<QuantityValues[Name]> };
type Details = { readonly [Name in DetailName]?: Quantity<DetailValues[Name]> };

/** A framework and its version; `version: null`: unknown. */
export interface Framework {
  /** The framework's id in the memory model; null: it has no profile, or the run's framework is unknown. */
  readonly id: FrameworkId | null;
  readonly name: string;
  readonly version: string | null;
  /** Known releases of other relevant libraries: `{ transformers: '4.48', torch: '2.4.1' }`. */
  readonly libraries?: Readonly<Record<string, string>>;
  /**
   * The user or a file states the releases; otherwise they are today's, or the newest that still accept all keys.
   */
  readonly stated?: boolean;
  /** Libraries whose releases something around the run states. */
  readonly around?: readonly string[];
  /** What states the version: `image vllm/vllm-openai:v0.19.0`, `requirements.txt`. */
  readonly from?: string;
}

/** A release that something around a run states. */
export interface StatedRelease {
  /** The package, by its normalized name. */
  readonly library: string;
  readonly release: string;
  readonly from: string;
}

/** A framework that has keys by itself: a preset, a config that it ships, the defaults of a subcommand. */
export interface Shipper {
  readonly framework: string;
  readonly version: string;
}

/** How a run refers to a source file. */
export type Via =
  /** The config itself. */
  | { readonly kind: 'config' }
  /** An overlay: its keys appear below `mount` and win over the config (a curriculum stage). */
  | { readonly kind: 'overlay'; readonly mount: string }
  /** A base: its keys appear below `mount`, and the config's own keys win (`_BASE_`). */
  | { readonly kind: 'beneath'; readonly mount: string; readonly ships?: Shipper }
  /** Named by `key` in a file of the dialect `by`; an inline mapping is named by its own key. */
  | { readonly kind: 'reference'; readonly by: string; readonly key: string; readonly inline: boolean }
  /** Named like a reference without such a file: a preset that the framework ships. */
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
  /** Index of the document in the file. */
  readonly document: number;
  /** The path of the run's keys in the document: [] for the root. */
  readonly base: YamlPath;
  /** The dialect of the file. */
  readonly dialect: string;
  readonly via: Via;
}

/** The framework whose own a source is, without a file on this machine; null for a user's file. */
export function shipperOf({ via }: Pick<SourceFile, 'via'>): Shipper | null {
  if (via.kind === 'preset') return via;
  return via.kind === 'beneath' ? (via.ships ?? null) : null;
}

/** A file that a run names but that could not be read. */
export interface MissingFile {
  /** The dialect of the file that names it, the key, and its place. */
  readonly by: string;
  readonly key: string;
  readonly at: Location;
  /** A sentence about what was looked for, and where. */
  readonly why: string;
  /** Its name is only known when the run starts. */
  readonly open?: true;
  /** Where its keys would have appeared in the config; absent for files of another dialect. */
  readonly mount?: string;
  /** Its name without the ending: a default that the framework's own file of this name gives holds all the same. */
  readonly file?: string;
}

/** The canonical description of one run. */
export interface RunSpec {
  /** Distinguishes several runs of one file: `01_stage`, `document 2`; '' if there is only one. */
  readonly name: string;
  readonly dialect: string;
  /** `part`: contributes to runs (a DeepSpeed JSON, an accelerate YAML): read and shown, never estimated. */
  readonly role: 'run' | 'part';
  readonly framework: Framework;
  /** Ids of the packs whose project the config belongs to; absent: none. */
  readonly packs?: readonly string[];
  readonly quantities: Quantities;
  readonly details: Details;
  /** The model's sizes from the config, if it builds a model instead of naming one. */
  readonly ownModel?: OwnModel;
  /** The class of the project's own code that makes the network. */
  readonly network?: NetworkClass;
  /** The config, then its overlays, then the files that it names. */
  readonly sources: readonly SourceFile[];
  readonly missingFiles: readonly MissingFile[];
  /** Size keys of the config, if no profile describes the framework's model; part of the run's identity. */
  readonly ownSizes?: string;
  /** Values from the user instead of a file; they win over every source. */
  readonly given: Given;
  /** Settings of the launcher around the config, such as a job's nodes and GPUs. They win over the config. */
  readonly launched?: Launched;
  /** Releases that the program's own file installs. */
  readonly installs?: readonly StatedRelease[];
  /** Files that name the config and were not opened themselves. */
  readonly startedBy?: StartedBy;
  /** The dialect's definition, if it is not built in: a workspace file, or a reading by vocabulary. */
  readonly definition?: { readonly file: string };
}

/** Files that start a run with a config. */
interface StartedBy {
  readonly files: readonly string[];
  /** They start it the same way, and the run includes their settings; else the run is the config alone. */
  readonly agree: boolean;
  /** The run belongs to another file, and is shown next to one of its parts. */
  readonly ofOtherFile?: true;
}

/** Quantities that an envelope (a manifest, a job script) sets for what it starts. */
export type Launched = Partial<Pick<Quantities, 'devices' | 'gpus' | 'nodes' | 'accelerator' | 'model'>> & {
  /** The GPUs of the machine that it gets, if a file says so: `0`, a UUID. Other services may get the same ones. */
  readonly deviceIds?: readonly string[];
  /** It only starts if one of these is requested (Compose's profiles). */
  readonly profiles?: readonly string[];
  /** The requested GPU, as the scheduler names it. */
  readonly gpu?: Quantity<string>;
  /** A scheduler gives it only a part of each GPU. */
  readonly gpuShare?: GpuShare;
  /** The path of the started program or script: its name often tells the task. */
  readonly program?: string;
  /** It ends before the next command of its script starts. */
  readonly isAwaited?: true;
  /** Releases that an image's tag or the same commands state. */
  readonly releases?: readonly StatedRelease[];
};

/** A part of a GPU's memory, as a pod asks for it. */
export interface GpuShare {
  readonly scheduler: 'HAMi' | 'KAI';
  /** `GPUs`: a fraction of one. */
  readonly unit: 'MiB' | '%' | 'GPUs';
  readonly amount: Quantity<number>;
}

/** Quantities from outside the files, and their source: `--gpus`, `headroom.gpuCount`. */
export interface Given {
  readonly values: Partial<QuantityValues>;
  readonly setting: string;
}
