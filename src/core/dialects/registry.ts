// Written by scripts/registries.mjs from the files beside it: a new file is in by being there.
import { builtIn } from './defined/compile';
import type { Dialect } from './dialect';
import { accelerate } from './accelerate';
import { accelerateDiffusion } from './accelerateDiffusion';
import { aiToolkit } from './aiToolkit';
import { asteroid } from './asteroid';
import { audiocraft } from './audiocraft';
import { axolotl } from './axolotl';
import { basicsr } from './basicsr';
import { compose } from './compose';
import { composer } from './composer';
import { cosyvoice } from './cosyvoice';
import { dac } from './dac';
import { ddspSvc } from './ddspSvc';
import { deepspeed } from './deepspeed';
import { demucs } from './demucs';
import { detectron2 } from './detectron2';
import { determined } from './determined';
import { detrYaml } from './detrYaml';
import { diffsinger } from './diffsinger';
import { dinov2 } from './dinov2';
import { donut } from './donut';
import { dstack } from './dstack';
import { embeddings } from './embeddings';
import { espnet } from './espnet';
import { f5Tts } from './f5Tts';
import { fairseq } from './fairseq';
import { funasr } from './funasr';
import { fuxictr } from './fuxictr';
import { gptNeox } from './gptNeox';
import { gptSovits } from './gptSovits';
import { graphgym } from './graphgym';
import { guideEmbedding } from './guideEmbedding';
import { guideTraining } from './guideTraining';
import { hfTrainer } from './hfTrainer';
import { hfTrl } from './hfTrl';
import { hydra } from './hydra';
import { joeynmt } from './joeynmt';
import { k8s } from './k8s';
import { latexOcr } from './latexOcr';
import { lavis } from './lavis';
import { ldmSgm } from './ldmSgm';
import { levanter } from './levanter';
import { lightningCli } from './lightningCli';
import { liif } from './liif';
import { lingua } from './lingua';
import { litgpt } from './litgpt';
import { llamacpp } from './llamacpp';
import { llamafactory } from './llamafactory';
import { llamafactoryV1 } from './llamafactoryV1';
import { llmFoundry } from './llmFoundry';
import { localai } from './localai';
import { ltxTrainer } from './ltxTrainer';
import { ludwig } from './ludwig';
import { lycoris } from './lycoris';
import { marian } from './marian';
import { maxtext } from './maxtext';
import { megatronBridge } from './megatronBridge';
import { megatronLm } from './megatronLm';
import { mmf } from './mmf';
import modelConfig from './modelConfig.yaml';
import { msSwift } from './msSwift';
import { nanotron } from './nanotron';
import { nemoAutomodel } from './nemoAutomodel';
import { nemoMegatron } from './nemoMegatron';
import { nemoRl } from './nemoRl';
import { openInstruct } from './openInstruct';
import { openRlhf } from './openRlhf';
import { opennmt } from './opennmt';
import { paddledet } from './paddledet';
import { parallelWaveGan } from './parallelWaveGan';
import { pytorch3dunet } from './pytorch3dunet';
import { ray } from './ray';
import { recbole } from './recbole';
import { rlGames } from './rlGames';
import { s3prl } from './s3prl';
import { satCogvideo } from './satCogvideo';
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
import { tei } from './tei';
import { tgi } from './tgi';
import { timm } from './timm';
import { torchdrug } from './torchdrug';
import { torchmdnet } from './torchmdnet';
import { torchrl } from './torchrl';
import { torchtitan } from './torchtitan';
import { torchtune } from './torchtune';
import { transformersLoading } from './transformersLoading';
import { ultralytics } from './ultralytics';
import { unslothCli } from './unslothCli';
import { verl } from './verl';
import { vissl } from './vissl';
import { vjepa } from './vjepa';
import { vllm } from './vllm';
import { wandbSweep } from './wandbSweep';
import { wenet } from './wenet';
import { wespeaker } from './wespeaker';
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
  asteroid,
  audiocraft,
  axolotl,
  basicsr,
  compose,
  composer,
  cosyvoice,
  dac,
  ddspSvc,
  deepspeed,
  demucs,
  detectron2,
  determined,
  detrYaml,
  diffsinger,
  dinov2,
  donut,
  dstack,
  embeddings,
  espnet,
  f5Tts,
  fairseq,
  funasr,
  fuxictr,
  gptNeox,
  gptSovits,
  graphgym,
  guideEmbedding,
  guideTraining,
  hfTrainer,
  hfTrl,
  hydra,
  joeynmt,
  k8s,
  latexOcr,
  lavis,
  ldmSgm,
  levanter,
  lightningCli,
  liif,
  lingua,
  litgpt,
  llamacpp,
  llamafactory,
  llamafactoryV1,
  llmFoundry,
  localai,
  ltxTrainer,
  ludwig,
  lycoris,
  marian,
  maxtext,
  megatronBridge,
  megatronLm,
  mmf,
  builtIn(modelConfig),
  msSwift,
  nanotron,
  nemoAutomodel,
  nemoMegatron,
  nemoRl,
  openInstruct,
  openRlhf,
  opennmt,
  paddledet,
  parallelWaveGan,
  pytorch3dunet,
  ray,
  recbole,
  rlGames,
  s3prl,
  satCogvideo,
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
  tei,
  tgi,
  timm,
  torchdrug,
  torchmdnet,
  torchrl,
  torchtitan,
  torchtune,
  transformersLoading,
  ultralytics,
  unslothCli,
  verl,
  vissl,
  vjepa,
  vllm,
  wandbSweep,
  wenet,
  wespeaker,
  yacsDassl,
  yacsHrnet,
  yacsOpenpcdet,
  yacsReid,
  yacsSlowfast,
  yacsSwin,
  yacsXdecoder,
  yoloMit,
];
