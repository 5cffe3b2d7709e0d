// Written by scripts/registries.mjs: it lists every file of this folder.
import type { Architecture } from '../architecture';
import { albert } from './albert';
import { auraFlow } from './auraFlow';
import { bart, mbart, m2m100, marian, pegasus } from './bart';
import { beit } from './beit';
import { bert, electra, roberta, debertaV2 } from './bert';
import { biogpt } from './biogpt';
import { chatglm } from './chatglm';
import { chroma } from './chroma';
import { cogVideoX } from './cogVideoX';
import { cosmos } from './cosmos';
import { detector } from './detector';
import { distilbert } from './distilbert';
import { falcon } from './falcon';
import { flux } from './flux';
import { flux2 } from './flux2';
import { gemma, gemma2, gemma3 } from './gemma';
import { gemma4 } from './gemma4';
import { glm } from './glm';
import { gpt2, gptBigcode, starcoder2 } from './gpt2';
import { gptNeox } from './gptNeox';
import { granite, graniteHybrid, graniteMoe } from './granite';
import { hunyuanVideo } from './hunyuanVideo';
import { jinaV2 } from './jinaV2';
import { lfm2 } from './lfm2';
import { llama, mistral, arcee, apertus, seedOss, smollm3, hunyuan, cohere } from './llama';
import { lumina2 } from './lumina2';
import { megatronGpt, megatronBert, megatronT5 } from './megatron';
import { mixtral, deepseek, gptOss, olmoe, phimoe, llama4, glm4Moe } from './mixtures';
import { mllama } from './mllama';
import { modernbert } from './modernbert';
import { mpnet } from './mpnet';
import { mptFoundry } from './mptFoundry';
import { olmo2, exaone4 } from './olmo';
import { opt } from './opt';
import { ownNetwork } from './ownNetwork';
import { phi, phi3 } from './phi';
import { pixart } from './pixart';
import { qwen, qwen3, qwen2Moe, qwen3Moe } from './qwen';
import { qwenImage } from './qwenImage';
import { jinaV3, nomicBert, gte } from './rotaryEncoders';
import { sd3 } from './sd3';
import { segformer } from './segformer';
import { wav2vec2, whisper } from './speech';
import { stablelm } from './stablelm';
import { t5, mt5 } from './t5';
import { timmVit } from './timmVit';
import { timmXception } from './timmXception';
import { torchvisionConvnext } from './torchvisionConvnext';
import { torchvisionEfficientnet } from './torchvisionEfficientnet';
import { torchvisionInception } from './torchvisionInception';
import { torchvisionMobilenetV3, torchvisionMobilenetV2 } from './torchvisionMobilenet';
import { torchvisionResnet } from './torchvisionResnet';
import { torchvisionSwin } from './torchvisionSwin';
import { torchvisionVgg } from './torchvisionVgg';
import { ultralytics } from './ultralytics';
import { unet } from './unet';
import { uperNet } from './uperNet';
import { uvit } from './uvit';
import { vit } from './vit';
import { zImage } from './zImage';

export const architectures: readonly Architecture[] = [
  albert,
  auraFlow,
  bart,
  mbart,
  m2m100,
  marian,
  pegasus,
  beit,
  bert,
  electra,
  roberta,
  debertaV2,
  biogpt,
  chatglm,
  chroma,
  cogVideoX,
  cosmos,
  detector,
  distilbert,
  falcon,
  flux,
  flux2,
  gemma,
  gemma2,
  gemma3,
  gemma4,
  glm,
  gpt2,
  gptBigcode,
  starcoder2,
  gptNeox,
  granite,
  graniteHybrid,
  graniteMoe,
  hunyuanVideo,
  jinaV2,
  lfm2,
  llama,
  mistral,
  arcee,
  apertus,
  seedOss,
  smollm3,
  hunyuan,
  cohere,
  lumina2,
  megatronGpt,
  megatronBert,
  megatronT5,
  mixtral,
  deepseek,
  gptOss,
  olmoe,
  phimoe,
  llama4,
  glm4Moe,
  mllama,
  modernbert,
  mpnet,
  mptFoundry,
  olmo2,
  exaone4,
  opt,
  ownNetwork,
  phi,
  phi3,
  pixart,
  qwen,
  qwen3,
  qwen2Moe,
  qwen3Moe,
  qwenImage,
  jinaV3,
  nomicBert,
  gte,
  sd3,
  segformer,
  wav2vec2,
  whisper,
  stablelm,
  t5,
  mt5,
  timmVit,
  timmXception,
  torchvisionConvnext,
  torchvisionEfficientnet,
  torchvisionInception,
  torchvisionMobilenetV3,
  torchvisionMobilenetV2,
  torchvisionResnet,
  torchvisionSwin,
  torchvisionVgg,
  ultralytics,
  unet,
  uperNet,
  uvit,
  vit,
  zImage,
];
