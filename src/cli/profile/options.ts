import type { OutputOptions } from '../output';
import type { JobsOptions } from '../jobs/open';
import type { PlaceChoice } from '../jobs/place';
import type { TargetOptions } from '../session';

/** The options of `headroom profile`. */
export interface ProfileOptions extends TargetOptions, OutputOptions, PlaceChoice, JobsOptions {
  readonly dryRun?: boolean;
  /** Runs the program itself, not only the model's code. */
  readonly program?: boolean;
  /** The user has seen the command. */
  readonly yes?: boolean;
  readonly largestBatch?: boolean;
  /** Optimizer steps after which a program is ended. */
  readonly steps: number;
  readonly probe?: boolean;
  readonly measured?: string;
  readonly metric?: 'device' | 'reserved' | 'allocated';
  readonly list?: boolean;
  readonly forget?: boolean;
  readonly export?: string;
  readonly entry?: string;
  readonly python?: string;
  readonly run?: string;
  readonly batch?: number;
  readonly length?: number;
  readonly layers: 'auto' | 'few' | 'all';
  readonly timeout: number;
  readonly again?: boolean;
  readonly keep: boolean;
  readonly user?: boolean;
  /** A probe waits until a GPU is free. */
  readonly queue?: boolean;
  /** The time limit of a probe in a scheduler, in minutes. */
  readonly time?: number;
  readonly json?: boolean;
}
