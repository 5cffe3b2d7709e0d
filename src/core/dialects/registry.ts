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
import { llamafactory } from './llamafactory';
import { llamafactoryV1 } from './llamafactoryV1';
import { msSwift } from './msSwift';
import { openInstruct } from './openInstruct';
import { soloLearn } from './soloLearn';
import { torchtune } from './torchtune';
import { unslothCli } from './unslothCli';

export const dialects: readonly Dialect[] = [
  accelerate,
  axolotl,
  deepspeed,
  guideTraining,
  hfTrainer,
  hfTrl,
  hydra,
  lightningCli,
  llamafactory,
  llamafactoryV1,
  msSwift,
  openInstruct,
  soloLearn,
  torchtune,
  unslothCli,
];
