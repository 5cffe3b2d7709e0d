// Written by scripts/registries.mjs: it lists every file of this folder.
import type { Rule } from '../rule';
import {
  contrastiveBatch,
  ddpAccumulation,
  guideMargin,
  moreNegativesFit,
  negativesDriveMemory,
  paddingLongest,
  positivesCostNoMemory,
  guideTableTooLow,
} from './naicsEmbedder';

export const guideRules: readonly Rule[] = [
  contrastiveBatch,
  ddpAccumulation,
  guideMargin,
  moreNegativesFit,
  negativesDriveMemory,
  paddingLongest,
  positivesCostNoMemory,
  guideTableTooLow,
];
