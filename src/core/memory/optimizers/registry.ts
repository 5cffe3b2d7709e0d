// Written by scripts/registries.mjs: it lists every file of this folder.
import type { Optimizer } from '../optimizer';
import { adafactor } from './adafactor';
import { adamwForeach, adamwForeachBefore21, adamwFused, adamwLoop, sgd, sgdMomentum, loraFa } from './adamw';
import { anyprecision, adamwBf16, optimiLion } from './bf16';
import {
  adamw8bit,
  pagedAdamw8bit,
  pagedAdamw32bit,
  lion32bit,
  lion8bit,
  pagedLion32bit,
  pagedLion8bit,
} from './bitsandbytes';
import { decoupledAdamW, decoupledLionW } from './composer';
import { flashAdamw, flashAdamw32bit } from './flashoptim';
import { galoreAdamw, galoreAdamw8bit, galoreAdamwLayerwise, galoreAdamw8bitLayerwise } from './galore';
import { muon } from './muon';
import { prodigy } from './prodigy';
import { soap } from './soap';
import { rmsprop, adagrad, adadelta } from './squaredGradients';
import {
  torchaoAdamw8bit,
  torchaoAdamw4bit,
  transformersAdamw4bit,
  torchaoAdamwFp8,
  torchaoAdamw,
  cpuOffloadAdamw,
  cpuOffloadAdamwGradients,
} from './torchao';

export const optimizers: readonly Optimizer[] = [
  adafactor,
  adamwForeach,
  adamwForeachBefore21,
  adamwFused,
  adamwLoop,
  sgd,
  sgdMomentum,
  loraFa,
  anyprecision,
  adamwBf16,
  optimiLion,
  adamw8bit,
  pagedAdamw8bit,
  pagedAdamw32bit,
  lion32bit,
  lion8bit,
  pagedLion32bit,
  pagedLion8bit,
  decoupledAdamW,
  decoupledLionW,
  flashAdamw,
  flashAdamw32bit,
  galoreAdamw,
  galoreAdamw8bit,
  galoreAdamwLayerwise,
  galoreAdamw8bitLayerwise,
  muon,
  prodigy,
  soap,
  rmsprop,
  adagrad,
  adadelta,
  torchaoAdamw8bit,
  torchaoAdamw4bit,
  transformersAdamw4bit,
  torchaoAdamwFp8,
  torchaoAdamw,
  cpuOffloadAdamw,
  cpuOffloadAdamwGradients,
];
