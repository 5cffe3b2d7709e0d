import type { Files } from '../text/files';
import type { DialectDefinition } from '../dialects/defined/definition';

/** Dialects that the workspace defines, in `.headroom/dialects` next to a file or in a folder above. */
export interface DefinitionSource {
  near(file: string): Promise<readonly DialectDefinition[]>;
  /** The files near a file that have errors; absent: not looked for. */
  faultyNear?(file: string): Promise<readonly DialectText[]>;
}

/** A file of `.headroom/dialects`. */
export interface DialectText {
  readonly path: string;
  readonly text: string;
}

/** Files that may start a config, and the folders that were searched. */
export interface LauncherLookup {
  /** Scripts, manifests and configs that contain the config's name, nearest first. */
  readonly files: readonly string[];
  /** Programs that train in a loop of their own and load a config that they are given, the likeliest first. */
  readonly programs?: () => Promise<readonly string[]>;
  /** Listed folders, each with a trailing slash: a new file in one may change the result. */
  readonly dependencies: readonly string[];
}

/** Finds what starts a config: files around it that name it. */
export interface LauncherSource {
  of(config: string): Promise<LauncherLookup>;
}

/** Everything that reading a config may access. */
export interface ConfigEnvironment {
  readonly files: Files;
  /** Absent if a host has no workspace. */
  readonly definitions?: DefinitionSource;
  /** Absent if only the files that a config itself names count. */
  readonly launchers?: LauncherSource;
}
