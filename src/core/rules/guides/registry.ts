// Written by scripts/registries.mjs from the files beside it: a new file is in by being there.
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
