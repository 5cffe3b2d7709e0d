import { parseTarget } from '../core/hardware/target';
import { memoryBar } from '../core/render/bar';
import { explanation } from '../core/render/explanation';
import { describeGpu, describeTarget } from '../core/render/gpu';
import { hover } from '../core/render/hover';
import { batchArithmetic } from '../core/render/inlay';
import { lensTitle } from '../core/render/lens';
import { relatedPlaces } from '../core/render/related';
import { answer } from '../core/render/verdict';
import type { Core } from './core';
import { analyseFile, planRun } from './fileAnalysis';

/** A chunk of its own: core, loaded when the first config of ours is seen. */
export const core: Core = {
  analyseFile,
  planRun,
  parseTarget,
  describeGpu,
  describeTarget,
  answer,
  lensTitle,
  batchArithmetic,
  hover,
  memoryBar,
  relatedPlaces,
  explanation,
};
