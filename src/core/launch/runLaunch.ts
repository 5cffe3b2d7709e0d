/** A command that starts a run. */

export interface RunLaunch {
  /** Program and arguments. Placeholders stay as they are in `open`. */
  readonly argv: readonly string[];
  /** Placeholders that are not filled in yet: `{stage}`, `DATA`. */
  readonly open: readonly string[];
  /** The file to start: the config, or the script that starts it. */
  readonly file: string;
  /** The action: `train`, `export`, `serve`. */
  readonly verb: string;
  /** The command that resumes from the last checkpoint; null: unknown. */
  readonly resume: readonly string[] | null;
  /** The outputs that the config names, as written there, relative to the folder that the run starts in. */
  readonly writes: readonly string[];
  /** The program that the command delegates the work to; null: it does the work itself. */
  readonly handsTo: string | null;
  /** Where the command was found. */
  readonly source: string;
  /** Headroom's own program does the work. */
  readonly isOwn: boolean;
}

export type LaunchResult =
  | { readonly ok: true; readonly launch: RunLaunch }
  | { readonly ok: false; readonly why: string };

export interface LaunchOptions {
  /** Number of GPUs to start it on. */
  readonly gpus: number;
  /** The folder that the run starts in; paths inside it are written relative to it. */
  readonly folder: string;
  /** Values that the user filled in, by the placeholders of `open`. */
  readonly filled?: Readonly<Record<string, string>>;
  /** The words that start Headroom's own command line where the run is to go; absent: it is not available there. */
  readonly own?: readonly string[];
  /** The start only measures memory; the run's results do not matter. */
  readonly profiles?: boolean;
  /** Its own Python program is wanted, without scripts around it. */
  readonly program?: boolean;
}
