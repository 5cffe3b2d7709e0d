// Written by scripts/registries.mjs: it lists every file of this folder.
import type { Remedy } from '../remedy';
import { adapters } from './adapters';
import { attention } from './attention';
import { cacheDtype } from './cacheDtype';
import { deviceMap } from './deviceMap';
import { engineShare } from './engineShare';
import { evaluationBatch } from './evaluationBatch';
import { fusedLoss } from './fusedLoss';
import { gradientCheckpointing } from './gradientCheckpointing';
import { imageSize } from './imageSize';
import { inferenceBatch } from './inferenceBatch';
import { layers } from './layers';
import { mapRooms } from './mapRooms';
import { memoryShare } from './memoryShare';
import { microBatch } from './microBatch';
import { modelSize } from './modelSize';
import { negatives } from './negatives';
import { offload } from './offload';
import { optimizer8bit } from './optimizer8bit';
import { precision } from './precision';
import { qlora } from './qlora';
import { rank } from './rank';
import { sequenceLength } from './sequenceLength';
import { servedAtOnce } from './servedAtOnce';
import { servedLength } from './servedLength';
import { servedWeights } from './servedWeights';
import { sharding } from './sharding';
import { smallerBatch } from './smallerBatch';
import { width } from './width';

export const remedies: readonly Remedy[] = [
  adapters,
  attention,
  cacheDtype,
  deviceMap,
  engineShare,
  evaluationBatch,
  fusedLoss,
  gradientCheckpointing,
  imageSize,
  inferenceBatch,
  layers,
  mapRooms,
  memoryShare,
  microBatch,
  modelSize,
  negatives,
  offload,
  optimizer8bit,
  precision,
  qlora,
  rank,
  sequenceLength,
  servedAtOnce,
  servedLength,
  servedWeights,
  sharding,
  smallerBatch,
  width,
];
