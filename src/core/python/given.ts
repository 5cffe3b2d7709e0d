import type { YamlNode } from '../yaml/node';

/** What a command gives a program: its flags by name, with underscores; a value that only the shell knows is opaque. */
export interface CommandLine {
  readonly flags: ReadonlyMap<string, YamlNode>;
  /** The words behind the program, as written; absent: they are not known. */
  readonly words?: readonly string[];
  /** The processes that a launcher starts; null: only the start knows how many. Absent: no launcher does. */
  readonly processes?: number | null;
  /** The config that it gets as an argument: it is loaded wherever the path of a config is unknown. */
  readonly config?: string;
}

/** Options that name the config of the run, not of a part of it. */
export const NAMES_CONFIG =
  /^(?:(?:train(?:ing)?|exp(?:eriment)?|run|base)_)?(?:config|cfg|conf|yaml|hparams|params)(?:_?(?:file(?:name)?|path|yaml))?$/;
