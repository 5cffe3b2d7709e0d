import type { Launched } from '../../spec/runSpec';
import type { ScalarNode } from '../../yaml/node';
import type { YamlPath } from '../../yaml/path';
import type { Layer } from '../engine/compose';
import type { Command, Word } from './word';

/** An environment variable in an envelope. */
export interface EnvironmentEntry {
  readonly name: string;
  /** Null: it comes from a secret, a file or the caller's environment. */
  readonly node: ScalarNode | null;
  readonly word: Word | null;
  /** The file that states it, if not the command's. */
  readonly owner?: Layer;
  readonly from: YamlPath;
  readonly keySpan: { readonly start: number; readonly end: number };
}

/** A job that an envelope starts on GPUs. */
export interface Job {
  readonly name: string;
  readonly image: string;
  /** The commands replace the image's own program, instead of being its arguments. */
  readonly isReplaced?: boolean;
  /** Commands in order; for an image without a command, its arguments alone. */
  readonly commands: readonly Command[];
  /** Commands in branches and loops; only used if nothing else starts a run. */
  readonly perhaps?: readonly Command[];
  readonly environment: readonly EnvironmentEntry[];
  readonly launched: Launched;
}
