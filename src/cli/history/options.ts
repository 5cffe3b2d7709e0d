import type { OutputOptions } from '../output';
import type { DownloadOptions, TargetOptions } from '../session';

/** The options of `headroom history`. */
export interface HistoryOptions extends TargetOptions, DownloadOptions, OutputOptions {
  readonly config?: string;
  readonly run?: string;
  readonly keep?: boolean;
  /** Names of the runs to keep, as listed; absent: all. */
  readonly only?: readonly string[];
  readonly user?: boolean;
  readonly json?: boolean;
}
