// Written by scripts/registries.mjs from the files beside it: a new file is in by being there.
import type { Optimizer } from '../optimizer';
import { adafactor } from './adafactor';
import { adamwForeach, adamwFused, adamwLoop } from './adamw';
import {
  adamw8bit,
  pagedAdamw8bit,
  pagedAdamw32bit,
  lion32bit,
  lion8bit,
  pagedLion32bit,
  pagedLion8bit,
} from './bitsandbytes';
import { sgd, sgdMomentum } from './sgd';

export const optimizers: readonly Optimizer[] = [
  adafactor,
  adamwForeach,
  adamwFused,
  adamwLoop,
  adamw8bit,
  pagedAdamw8bit,
  pagedAdamw32bit,
  lion32bit,
  lion8bit,
  pagedLion32bit,
  pagedLion8bit,
  sgd,
  sgdMomentum,
];
