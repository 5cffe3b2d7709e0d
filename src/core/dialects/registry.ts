// Written by scripts/registries.mjs from the files beside it: a new file is in by being there.
import { builtIn } from './defined/compile';
import type { Dialect } from './dialect';
import { accelerate } from './accelerate';
import { accelerateDiffusion } from './accelerateDiffusion';
import { aiToolkit } from './aiToolkit';
import asteroid from './asteroid.yaml';
import audiocraft from './audiocraft.yaml';
import { axolotl } from './axolotl';
import basicsr from './basicsr.yaml';
import { compose } from './compose';
import { composer } from './composer';
import { cosyvoice } from './cosyvoice';
import dac from './dac.yaml';
import ddspSvc from './ddspSvc.yaml';
import { deepspeed } from './deepspeed';
import demucs from './demucs.yaml';
import { detectron2 } from './detectron2';
import { determined } from './determined';
import detrYaml from './detrYaml.yaml';
import diffsinger from './diffsinger.yaml';
import dinov2 from './dinov2.yaml';
import donut from './donut.yaml';
import { dstack } from './dstack';
import { embeddings } from './embeddings';
import espnet from './espnet.yaml';
import f5Tts from './f5Tts.yaml';
import { fairseq } from './fairseq';
import funasr from './funasr.yaml';
import { fuxictr } from './fuxictr';
import { gptNeox } from './gptNeox';
import gptSovits from './gptSovits.yaml';
import graphgym from './graphgym.yaml';
import { guideEmbedding } from './guideEmbedding';
import guideTraining from './guideTraining.yaml';
import { hfTrainer } from './hfTrainer';
import { hfTrl } from './hfTrl';
import { hydra } from './hydra';
import { joeynmt } from './joeynmt';
import { k8s } from './k8s';
import latexOcr from './latexOcr.yaml';
import { lavis } from './lavis';
import ldmSgm from './ldmSgm.yaml';
import { levanter } from './levanter';
import { lightningCli } from './lightningCli';
import liif from './liif.yaml';
import { lingua } from './lingua';
import { litgpt } from './litgpt';
import { llamacpp } from './llamacpp';
import { llamafactory } from './llamafactory';
import { llamafactoryV1 } from './llamafactoryV1';
import { llmFoundry } from './llmFoundry';
import { localai } from './localai';
import ltxTrainer from './ltxTrainer.yaml';
import { ludwig } from './ludwig';
import { lycoris } from './lycoris';
import marian from './marian.yaml';
import { maxtext } from './maxtext';
import { megatronBridge } from './megatronBridge';
import { megatronLm } from './megatronLm';
import mmf from './mmf.yaml';
import modelConfig from './modelConfig.yaml';
import { msSwift } from './msSwift';
import { nanotron } from './nanotron';
import { nemoAutomodel } from './nemoAutomodel';
import { nemoMegatron } from './nemoMegatron';
import { nemoRl } from './nemoRl';
import { openInstruct } from './openInstruct';
import { openRlhf } from './openRlhf';
import opennmt from './opennmt.yaml';
import { paddledet } from './paddledet';
import parallelWaveGan from './parallelWaveGan.yaml';
import pytorch3dunet from './pytorch3dunet.yaml';
import { ray } from './ray';
import recbole from './recbole.yaml';
import rlGames from './rlGames.yaml';
import s3prl from './s3prl.yaml';
import satCogvideo from './satCogvideo.yaml';
import { sb3Zoo } from './sb3Zoo';
import { sglang } from './sglang';
import { shellScript } from './shellScript';
import { simpleTuner } from './simpleTuner';
import { skypilot } from './skypilot';
import { slurm } from './slurm';
import { soloLearn } from './soloLearn';
import { spectrum } from './spectrum';
import { speechbrain } from './speechbrain';
import styleTts2 from './styleTts2.yaml';
import tei from './tei.yaml';
import { tgi } from './tgi';
import { timm } from './timm';
import torchdrug from './torchdrug.yaml';
import torchmdnet from './torchmdnet.yaml';
import torchrl from './torchrl.yaml';
import { torchtitan } from './torchtitan';
import { torchtune } from './torchtune';
import { transformersLoading } from './transformersLoading';
import { ultralytics } from './ultralytics';
import { unslothCli } from './unslothCli';
import { verl } from './verl';
import { vissl } from './vissl';
import vjepa from './vjepa.yaml';
import { vllm } from './vllm';
import { wandbSweep } from './wandbSweep';
import wenet from './wenet.yaml';
import wespeaker from './wespeaker.yaml';
import yacsDassl from './yacsDassl.yaml';
import yacsHrnet from './yacsHrnet.yaml';
import yacsOpenpcdet from './yacsOpenpcdet.yaml';
import yacsReid from './yacsReid.yaml';
import yacsSlowfast from './yacsSlowfast.yaml';
import yacsSwin from './yacsSwin.yaml';
import yacsXdecoder from './yacsXdecoder.yaml';
import yoloMit from './yoloMit.yaml';

export const dialects: readonly Dialect[] = [
  accelerate,
  accelerateDiffusion,
  aiToolkit,
  builtIn(asteroid),
  builtIn(audiocraft),
  axolotl,
  builtIn(basicsr),
  compose,
  composer,
  cosyvoice,
  builtIn(dac),
  builtIn(ddspSvc),
  deepspeed,
  builtIn(demucs),
  detectron2,
  determined,
  builtIn(detrYaml),
  builtIn(diffsinger),
  builtIn(dinov2),
  builtIn(donut),
  dstack,
  embeddings,
  builtIn(espnet),
  builtIn(f5Tts),
  fairseq,
  builtIn(funasr),
  fuxictr,
  gptNeox,
  builtIn(gptSovits),
  builtIn(graphgym),
  guideEmbedding,
  builtIn(guideTraining),
  hfTrainer,
  hfTrl,
  hydra,
  joeynmt,
  k8s,
  builtIn(latexOcr),
  lavis,
  builtIn(ldmSgm),
  levanter,
  lightningCli,
  builtIn(liif),
  lingua,
  litgpt,
  llamacpp,
  llamafactory,
  llamafactoryV1,
  llmFoundry,
  localai,
  builtIn(ltxTrainer),
  ludwig,
  lycoris,
  builtIn(marian),
  maxtext,
  megatronBridge,
  megatronLm,
  builtIn(mmf),
  builtIn(modelConfig),
  msSwift,
  nanotron,
  nemoAutomodel,
  nemoMegatron,
  nemoRl,
  openInstruct,
  openRlhf,
  builtIn(opennmt),
  paddledet,
  builtIn(parallelWaveGan),
  builtIn(pytorch3dunet),
  ray,
  builtIn(recbole),
  builtIn(rlGames),
  builtIn(s3prl),
  builtIn(satCogvideo),
  sb3Zoo,
  sglang,
  shellScript,
  simpleTuner,
  skypilot,
  slurm,
  soloLearn,
  spectrum,
  speechbrain,
  builtIn(styleTts2),
  builtIn(tei),
  tgi,
  timm,
  builtIn(torchdrug),
  builtIn(torchmdnet),
  builtIn(torchrl),
  torchtitan,
  torchtune,
  transformersLoading,
  ultralytics,
  unslothCli,
  verl,
  vissl,
  builtIn(vjepa),
  vllm,
  wandbSweep,
  builtIn(wenet),
  builtIn(wespeaker),
  builtIn(yacsDassl),
  builtIn(yacsHrnet),
  builtIn(yacsOpenpcdet),
  builtIn(yacsReid),
  builtIn(yacsSlowfast),
  builtIn(yacsSwin),
  builtIn(yacsXdecoder),
  builtIn(yoloMit),
];
