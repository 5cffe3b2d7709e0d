import type { OutputOptions } from '../output';
import type { TargetOptions } from '../session';

/** What `headroom lengths` takes. */
export interface LengthsOptions extends TargetOptions, OutputOptions {
  readonly run?: string;
  readonly tokenizer?: string;
  readonly column?: string;
  readonly limit?: number;
  readonly samples: number;
  readonly all?: boolean;
  readonly again?: boolean;
  readonly keep: boolean;
  readonly json?: boolean;
}
