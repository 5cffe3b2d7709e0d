import type { OutputOptions } from '../output';
import type { DownloadOptions, TargetOptions } from '../session';

/** The options of `headroom history`. */
export interface HistoryOptions extends TargetOptions, DownloadOptions, OutputOptions {
  readonly config?: string;
  readonly run?: string;
  readonly keep?: boolean;
  readonly user?: boolean;
  readonly json?: boolean;
}
