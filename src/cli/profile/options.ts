import type { OutputOptions } from '../output';
import type { TargetOptions } from '../session';

/** What `headroom profile` takes. */
export interface ProfileOptions extends TargetOptions, OutputOptions {
  readonly dryRun?: boolean;
  readonly probe?: boolean;
  readonly measured?: string;
  readonly metric?: 'device' | 'reserved' | 'allocated';
  readonly list?: boolean;
  readonly forget?: boolean;
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
  readonly json?: boolean;
}
