import type { Files } from '../text/files';
import type { DialectDefinition } from './defined/definition';

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

/** What reading a config may ask of the world. */
export interface ConfigSurroundings {
  readonly files: Files;
  /** Absent where a host has no workspace. */
  readonly definitions?: DefinitionSource;
  /** Absent where only what a file itself names counts. */
  readonly launchers?: LauncherSource;
}
