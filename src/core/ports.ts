import type { DialectDefinition } from './dialects/defined/definition';
import type { GpuFacts, Target } from './hardware/gpu';
import type { GpuMatch } from './hardware/match';
import type { Measurement } from './learn/measurement';
import type { LengthRecord } from './lengths/record';
import type { ModelFacts } from './models/model';

/** Why a file gave no text. */
export type FileAbsence = 'missing' | 'directory' | 'denied' | 'too-large' | 'binary' | 'unavailable';

export type FileText = { readonly text: string } | { readonly absence: FileAbsence };

/** Files by core's own paths (see text/paths). Open editors answer with their unsaved text. */
export interface Files {
  read(path: string): Promise<FileText>;
  /**
   * At most so many bytes of a file from a place on, fewer at its end; null where it cannot be read. Absent where a host has
   * no such way: headers of checkpoints are then not looked at.
   */
  bytes?(path: string, offset: number, length: number): Promise<Uint8Array | null>;
  /** Names in a folder, sorted; empty when it is not there. */
  list(folder: string): Promise<readonly string[]>;
}

/** What a search for a model's facts came to. */
export interface ModelLookup {
  readonly model: ModelFacts | null;
  /** Without facts: a sentence that says where was looked and what was wrong there. */
  readonly why: string | null;
  /** Files that were read or looked for; the answer may change when one of them does. */
  readonly dependencies: readonly string[];
}

/** Architecture facts by hub id or by folder. */
export interface ModelSource {
  /** `from` is the file that names the model: a relative path is tried beside it first. */
  find(model: string, from: string): Promise<ModelLookup>;
}

export interface GpuSource {
  /** By any name a person or a tool uses (`RTX 4090`, `NVIDIA GeForce RTX 4090`, `a100-80gb`) that means one GPU. */
  find(name: string): GpuFacts | null;
  /** The same, with what else it may mean, or names near it. */
  match(name: string): GpuMatch;
  /** By what a tool prints: cards that share a name are told apart by the total it shows. */
  ofDevice(name: string, totalMiB: number | null): GpuFacts | null;
  all(): readonly GpuFacts[];
}

/** Dialects that the workspace around a file defines, in `.headroom/dialects` beside it or in a folder above. */
export interface DefinitionSource {
  near(file: string): Promise<readonly DialectDefinition[]>;
}

/** Files that may start a config, and what was looked at to find them. */
export interface LauncherLookup {
  /** Scripts, manifests and configs that have the config's name in them, the nearest first. */
  readonly files: readonly string[];
  /** Folders whose names were asked for, each with a slash at its end: another file in one may change the answer. */
  readonly dependencies: readonly string[];
}

/** Who starts a config: files around it that name it. */
export interface LauncherSource {
  of(config: string): Promise<LauncherLookup>;
}

/** What runs really took, from files beside a config and from the user's own. */
export interface MeasurementLookup {
  readonly measurements: readonly Measurement[];
  /** Files that were read or looked for. */
  readonly dependencies: readonly string[];
  /** Headroom's own version: sums that another one predicted correct nothing. */
  readonly by: string;
}

export interface MeasurementFiles {
  near(file: string): Promise<MeasurementLookup>;
}

/** How long the data around a config are, where that was counted. */
export interface LengthLookup {
  /** The newest last; `isStale`: the files are others by now. */
  readonly counted: readonly { readonly record: LengthRecord; readonly isStale: boolean }[];
  /** Files that were read or looked for. */
  readonly dependencies: readonly string[];
}

export interface LengthFiles {
  near(file: string): Promise<LengthLookup>;
}

/** A rule that threw: a bug of Headroom, never of a config. */
export interface RuleFault {
  readonly rule: string;
  /** The config that it was asked about. */
  readonly file: string;
  readonly error: unknown;
}

/** Everything the analysis may ask of the world. */
export interface World {
  readonly files: Files;
  readonly models: ModelSource;
  /** A GPU that a file asks for by name, one of it; null for a name that means none or several. */
  readonly gpuNamed?: (name: string) => Promise<Target | null>;
  /** Absent where a host has no workspace. */
  readonly definitions?: DefinitionSource;
  /** Absent where only what a file itself names counts. */
  readonly launchers?: LauncherSource;
  /** Absent where nothing that was measured counts. */
  readonly measurements?: MeasurementFiles;
  /** Absent where it does not matter how long the data are. */
  readonly lengths?: LengthFiles;
  /** Hears of rules that throw; they then report nothing. Absent: the error goes on, so that a test fails. */
  readonly onRuleFault?: (fault: RuleFault) => void;
}
