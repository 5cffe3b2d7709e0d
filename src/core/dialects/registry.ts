// Written by scripts/registries.mjs from the files beside it: a new file is in by being there.
import type { Dialect } from './dialect';
import { accelerate } from './accelerate';
import { accelerateDiffusion } from './accelerateDiffusion';
import { aiToolkit } from './aiToolkit';
import { axolotl } from './axolotl';
import { basicsr } from './basicsr';
import { compose } from './compose';
import { composer } from './composer';
import { deepspeed } from './deepspeed';
import { detectron2 } from './detectron2';
import { determined } from './determined';
import { detrYaml } from './detrYaml';
import { dinov2 } from './dinov2';
import { donut } from './donut';
import { dstack } from './dstack';
import { embeddings } from './embeddings';
import { gptNeox } from './gptNeox';
import { guideEmbedding } from './guideEmbedding';
import { guideTraining } from './guideTraining';
import { hfTrainer } from './hfTrainer';
import { hfTrl } from './hfTrl';
import { hydra } from './hydra';
import { k8s } from './k8s';
import { latexOcr } from './latexOcr';
import { lavis } from './lavis';
import { ldmSgm } from './ldmSgm';
import { levanter } from './levanter';
import { lightningCli } from './lightningCli';
import { liif } from './liif';
import { lingua } from './lingua';
import { litgpt } from './litgpt';
import { llamafactory } from './llamafactory';
import { llamafactoryV1 } from './llamafactoryV1';
import { llmFoundry } from './llmFoundry';
import { localai } from './localai';
import { ltxTrainer } from './ltxTrainer';
import { maxtext } from './maxtext';
import { megatronBridge } from './megatronBridge';
import { mmf } from './mmf';
import { msSwift } from './msSwift';
import { nanotron } from './nanotron';
import { nemoAutomodel } from './nemoAutomodel';
import { nemoMegatron } from './nemoMegatron';
import { nemoRl } from './nemoRl';
import { openInstruct } from './openInstruct';
import { paddledet } from './paddledet';
import { pytorch3dunet } from './pytorch3dunet';
import { ray } from './ray';
import { satCogvideo } from './satCogvideo';
import { sglang } from './sglang';
import { skypilot } from './skypilot';
import { soloLearn } from './soloLearn';
import { tei } from './tei';
import { tgi } from './tgi';
import { timm } from './timm';
import { torchtune } from './torchtune';
import { ultralytics } from './ultralytics';
import { unslothCli } from './unslothCli';
import { verl } from './verl';
import { vissl } from './vissl';
import { vjepa } from './vjepa';
import { vllm } from './vllm';
import { yacsDassl } from './yacsDassl';
import { yacsHrnet } from './yacsHrnet';
import { yacsOpenpcdet } from './yacsOpenpcdet';
import { yacsReid } from './yacsReid';
import { yacsSlowfast } from './yacsSlowfast';
import { yacsSwin } from './yacsSwin';
import { yacsXdecoder } from './yacsXdecoder';
import { yoloMit } from './yoloMit';

export const dialects: readonly Dialect[] = [
  accelerate,
  accelerateDiffusion,
  aiToolkit,
  axolotl,
  basicsr,
  compose,
  composer,
  deepspeed,
  detectron2,
  determined,
  detrYaml,
  dinov2,
  donut,
  dstack,
  embeddings,
  gptNeox,
  guideEmbedding,
  guideTraining,
  hfTrainer,
  hfTrl,
  hydra,
  k8s,
  latexOcr,
  lavis,
  ldmSgm,
  levanter,
  lightningCli,
  liif,
  lingua,
  litgpt,
  llamafactory,
  llamafactoryV1,
  llmFoundry,
  localai,
  ltxTrainer,
  maxtext,
  megatronBridge,
  mmf,
  msSwift,
  nanotron,
  nemoAutomodel,
  nemoMegatron,
  nemoRl,
  openInstruct,
  paddledet,
  pytorch3dunet,
  ray,
  satCogvideo,
  sglang,
  skypilot,
  soloLearn,
  tei,
  tgi,
  timm,
  torchtune,
  ultralytics,
  unslothCli,
  verl,
  vissl,
  vjepa,
  vllm,
  yacsDassl,
  yacsHrnet,
  yacsOpenpcdet,
  yacsReid,
  yacsSlowfast,
  yacsSwin,
  yacsXdecoder,
  yoloMit,
];
