// Written by scripts/registries.mjs: it lists every file of this folder.
import type { AdviceRule } from '../advice';
import { memoryFull, memorySpare, memoryBelowTarget } from './memory';
import { hot, powerLimited } from './throttling';
import { lowUtilisation, waitsForInput, gpuIsTheLimit, heldIdle } from './utilization';

export const adviceRules: readonly AdviceRule[] = [
  memoryFull,
  memorySpare,
  memoryBelowTarget,
  hot,
  powerLimited,
  lowUtilisation,
  waitsForInput,
  gpuIsTheLimit,
  heldIdle,
];
