// Written by scripts/registries.mjs from the files beside it: a new file is in by being there.
import type { Rule } from '../rule';
import { embeddingBatchesDiffer, embeddingPartialBatches } from './embeddingBatch';
import {
  contrastiveBatch,
  ddpAccumulation,
  guideMargin,
  moreNegativesFit,
  negativesDriveMemory,
  paddingLongest,
  positivesCostNoMemory,
} from './naicsEmbedder';

export const guideRules: readonly Rule[] = [
  embeddingBatchesDiffer,
  embeddingPartialBatches,
  contrastiveBatch,
  ddpAccumulation,
  guideMargin,
  moreNegativesFit,
  negativesDriveMemory,
  paddingLongest,
  positivesCostNoMemory,
];
