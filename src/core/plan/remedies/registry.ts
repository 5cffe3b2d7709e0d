// Written by scripts/registries.mjs from the files beside it: a new file is in by being there.
import type { Remedy } from '../remedy';
import { attention } from './attention';
import { evaluationBatch } from './evaluationBatch';
import { fusedLoss } from './fusedLoss';
import { gradientCheckpointing } from './gradientCheckpointing';
import { imageSize } from './imageSize';
import { microBatch } from './microBatch';
import { negatives } from './negatives';
import { offload } from './offload';
import { optimizer8bit } from './optimizer8bit';
import { precision } from './precision';
import { qlora } from './qlora';
import { rank } from './rank';
import { sequenceLength } from './sequenceLength';
import { sharding } from './sharding';

export const remedies: readonly Remedy[] = [
  attention,
  evaluationBatch,
  fusedLoss,
  gradientCheckpointing,
  imageSize,
  microBatch,
  negatives,
  offload,
  optimizer8bit,
  precision,
  qlora,
  rank,
  sequenceLength,
  sharding,
];
