// Written by scripts/registries.mjs from the files beside it: a new file is in by being there.
import type { Remedy } from '../remedy';
import { attention } from './attention';
import { evaluationBatch } from './evaluationBatch';
import { fusedLoss } from './fusedLoss';
import { gradientCheckpointing } from './gradientCheckpointing';
import { microBatch } from './microBatch';
import { negatives } from './negatives';
import { optimizer8bit } from './optimizer8bit';
import { qlora } from './qlora';
import { sequenceLength } from './sequenceLength';

export const remedies: readonly Remedy[] = [
  attention,
  evaluationBatch,
  fusedLoss,
  gradientCheckpointing,
  microBatch,
  negatives,
  optimizer8bit,
  qlora,
  sequenceLength,
];
