// Written by scripts/registries.mjs from the files beside it: a new file is in by being there.
import type { Dialect } from './dialect';
import { accelerate } from './accelerate';
import { axolotl } from './axolotl';
import { deepspeed } from './deepspeed';
import { guideTraining } from './guideTraining';
import { hfTrainer } from './hfTrainer';
import { hfTrl } from './hfTrl';
import { hydra } from './hydra';
import { lightningCli } from './lightningCli';
import { soloLearn } from './soloLearn';
import { torchtune } from './torchtune';

export const dialects: readonly Dialect[] = [
  accelerate,
  axolotl,
  deepspeed,
  guideTraining,
  hfTrainer,
  hfTrl,
  hydra,
  lightningCli,
  soloLearn,
  torchtune,
];
