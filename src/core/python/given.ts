import type { YamlNode } from '../yaml/node';
import type { Value } from './value';

/** What a command gives a program: its flags by name, with underscores; a value that only the shell knows is opaque. */
export interface CommandLine {
  readonly flags: ReadonlyMap<string, YamlNode>;
  /** The processes that a launcher starts; null: only the start knows how many. Absent: no launcher does. */
  readonly processes?: number | null;
}

/** An option of a program: its name as an attribute, and what it is without a flag. */
export interface Option {
  readonly name: string;
  readonly value: Value;
}
