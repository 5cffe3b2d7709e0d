// Written by scripts/registries.mjs from the files beside it: a new file is in by being there.
import type { AdviceRule } from '../advice';
import { heldIdle } from './heldIdle';
import { hot } from './hot';
import { lowUtilisation } from './lowUtilisation';
import { memoryFull } from './memoryFull';
import { memorySpare } from './memorySpare';
import { powerLimited } from './powerLimited';
import { waitsForInput } from './waitsForInput';

export const adviceRules: readonly AdviceRule[] = [
  heldIdle,
  hot,
  lowUtilisation,
  memoryFull,
  memorySpare,
  powerLimited,
  waitsForInput,
];
