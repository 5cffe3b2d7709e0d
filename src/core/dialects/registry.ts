// Written by scripts/registries.mjs: it lists every file of this folder.
import files from './data.dialects';
import { builtIn } from './defined/compile';
import type { Dialect } from './dialect';
import { aiToolkit } from './aiToolkit';
import { axolotl } from './axolotl';
import { compose } from './compose';
import { cosyvoice } from './cosyvoice';
import { detectron2 } from './detectron2';
import { determined } from './determined';
import { diffusersPipeline } from './diffusersPipeline';
import { dstack } from './dstack';
import { embeddings } from './embeddings';
import { fairseq } from './fairseq';
import { fuxictr } from './fuxictr';
import { guideEmbedding } from './guideEmbedding';
import { hfTrainer } from './hfTrainer';
import { hfTrl } from './hfTrl';
import { hydra } from './hydra';
import { joeynmt } from './joeynmt';
import { k8s } from './k8s';
import { lavis } from './lavis';
import { lightningCli } from './lightningCli';
import { llamacpp } from './llamacpp';
import { llamafactory } from './llamafactory';
import { lmdeploy } from './lmdeploy';
import { localai } from './localai';
import { lycoris } from './lycoris';
import { megatronLm } from './megatronLm';
import { msSwift } from './msSwift';
import { nanotron } from './nanotron';
import { nemoAutomodel } from './nemoAutomodel';
import { nemoMegatron } from './nemoMegatron';
import { nemoRl } from './nemoRl';
import { ollama } from './ollama';
import { openRlhf } from './openRlhf';
import { openmmlab } from './openmmlab';
import { paddledet } from './paddledet';
import { ray } from './ray';
import { sb3Zoo } from './sb3Zoo';
import { serverArguments } from './serverArguments';
import { sglang } from './sglang';
import { shellScript } from './shellScript';
import { simpleTuner } from './simpleTuner';
import { skypilot } from './skypilot';
import { slurm } from './slurm';
import { soloLearn } from './soloLearn';
import { speechbrain } from './speechbrain';
import { timm } from './timm';
import { torchtitan } from './torchtitan';
import { transformersLoading } from './transformersLoading';
import { vissl } from './vissl';
import { vllm } from './vllm';
import { wandbSweep } from './wandbSweep';

export const dialects: readonly Dialect[] = [
  aiToolkit,
  axolotl,
  compose,
  cosyvoice,
  detectron2,
  determined,
  diffusersPipeline,
  dstack,
  embeddings,
  fairseq,
  fuxictr,
  guideEmbedding,
  hfTrainer,
  hfTrl,
  hydra,
  joeynmt,
  k8s,
  lavis,
  lightningCli,
  llamacpp,
  llamafactory,
  lmdeploy,
  localai,
  lycoris,
  megatronLm,
  msSwift,
  nanotron,
  nemoAutomodel,
  nemoMegatron,
  nemoRl,
  ollama,
  openRlhf,
  openmmlab,
  paddledet,
  ray,
  sb3Zoo,
  serverArguments,
  sglang,
  shellScript,
  simpleTuner,
  skypilot,
  slurm,
  soloLearn,
  speechbrain,
  timm,
  torchtitan,
  transformersLoading,
  vissl,
  vllm,
  wandbSweep,
  ...files.map(file => builtIn(file)),
];
