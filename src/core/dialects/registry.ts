// Written by scripts/registries.mjs from the files beside it: a new file is in by being there.
import type { Dialect } from './dialect';
import { accelerate } from './accelerate';
import { axolotl } from './axolotl';
import { compose } from './compose';
import { deepspeed } from './deepspeed';
import { guideTraining } from './guideTraining';
import { hfTrainer } from './hfTrainer';
import { hfTrl } from './hfTrl';
import { hydra } from './hydra';
import { k8s } from './k8s';
import { lightningCli } from './lightningCli';
import { llamafactory } from './llamafactory';
import { llamafactoryV1 } from './llamafactoryV1';
import { msSwift } from './msSwift';
import { openInstruct } from './openInstruct';
import { sglang } from './sglang';
import { soloLearn } from './soloLearn';
import { tei } from './tei';
import { tgi } from './tgi';
import { torchtune } from './torchtune';
import { unslothCli } from './unslothCli';
import { vllm } from './vllm';

export const dialects: readonly Dialect[] = [
  accelerate,
  axolotl,
  compose,
  deepspeed,
  guideTraining,
  hfTrainer,
  hfTrl,
  hydra,
  k8s,
  lightningCli,
  llamafactory,
  llamafactoryV1,
  msSwift,
  openInstruct,
  sglang,
  soloLearn,
  tei,
  tgi,
  torchtune,
  unslothCli,
  vllm,
];
