import { resolve } from 'node:path';
import type { AnalysisOptions } from '../core/analysis';
import type { Target } from '../core/hardware/gpu';
import type { World } from '../core/ports';
import { BadInput } from './output';

/** Options that every verb with a target takes. */
export interface TargetOptions {
  readonly gpu?: string;
  readonly gpus?: number;
}
