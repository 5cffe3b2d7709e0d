// Written by scripts/registries.mjs from the files beside it: a new file is in by being there.
import type { Architecture } from '../architecture';
import { albert } from './albert';
import { apertus } from './apertus';
import { arcee } from './arcee';
import { auraFlow } from './auraFlow';
import { bart } from './bart';
import { beit } from './beit';
import { bert } from './bert';
import { biogpt } from './biogpt';
import { chatglm } from './chatglm';
import { chroma } from './chroma';
import { cogVideoX } from './cogVideoX';
import { cohere } from './cohere';
import { cosmos } from './cosmos';
import { debertaV2 } from './debertaV2';
import { deepseek } from './deepseek';
import { detector } from './detector';
import { distilbert } from './distilbert';
import { electra } from './electra';
import { exaone4 } from './exaone4';
import { falcon } from './falcon';
import { flux } from './flux';
import { flux2 } from './flux2';
import { gemma } from './gemma';
import { gemma2 } from './gemma2';
import { gemma3 } from './gemma3';
import { gemma4 } from './gemma4';
import { glm } from './glm';
import { glm4Moe } from './glm4Moe';
import { gpt2 } from './gpt2';
import { gptBigcode } from './gptBigcode';
import { gptNeox } from './gptNeox';
import { gptOss } from './gptOss';
import { granite } from './granite';
import { graniteHybrid } from './graniteHybrid';
import { graniteMoe } from './graniteMoe';
import { gte } from './gte';
import { hunyuan } from './hunyuan';
import { hunyuanVideo } from './hunyuanVideo';
import { jinaV2 } from './jinaV2';
import { jinaV3 } from './jinaV3';
import { lfm2 } from './lfm2';
import { llama } from './llama';
import { lumina2 } from './lumina2';
import { m2m100 } from './m2m100';
import { marian } from './marian';
import { mbart } from './mbart';
import { megatronGpt, megatronBert, megatronT5 } from './megatron';
import { mistral } from './mistral';
import { mixtral } from './mixtral';
import { mllama } from './mllama';
import { modernbert } from './modernbert';
import { mpnet } from './mpnet';
import { mt5 } from './mt5';
import { nomicBert } from './nomicBert';
import { olmo2 } from './olmo2';
import { olmoe } from './olmoe';
import { opt } from './opt';
import { pegasus } from './pegasus';
import { phi } from './phi';
import { phi3 } from './phi3';
import { phimoe } from './phimoe';
import { pixart } from './pixart';
import { qwen } from './qwen';
import { qwen2Moe } from './qwen2Moe';
import { qwen3 } from './qwen3';
import { qwen3Moe } from './qwen3Moe';
import { qwenImage } from './qwenImage';
import { roberta } from './roberta';
import { sd3 } from './sd3';
import { seedOss } from './seedOss';
import { segformer } from './segformer';
import { smollm3 } from './smollm3';
import { stablelm } from './stablelm';
import { starcoder2 } from './starcoder2';
import { t5 } from './t5';
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
import { wav2vec2 } from './wav2vec2';
import { whisper } from './whisper';
import { zImage } from './zImage';

export const architectures: readonly Architecture[] = [
  albert,
  apertus,
  arcee,
  auraFlow,
  bart,
  beit,
  bert,
  biogpt,
  chatglm,
  chroma,
  cogVideoX,
  cohere,
  cosmos,
  debertaV2,
  deepseek,
  detector,
  distilbert,
  electra,
  exaone4,
  falcon,
  flux,
  flux2,
  gemma,
  gemma2,
  gemma3,
  gemma4,
  glm,
  glm4Moe,
  gpt2,
  gptBigcode,
  gptNeox,
  gptOss,
  granite,
  graniteHybrid,
  graniteMoe,
  gte,
  hunyuan,
  hunyuanVideo,
  jinaV2,
  jinaV3,
  lfm2,
  llama,
  lumina2,
  m2m100,
  marian,
  mbart,
  megatronGpt,
  megatronBert,
  megatronT5,
  mistral,
  mixtral,
  mllama,
  modernbert,
  mpnet,
  mt5,
  nomicBert,
  olmo2,
  olmoe,
  opt,
  pegasus,
  phi,
  phi3,
  phimoe,
  pixart,
  qwen,
  qwen2Moe,
  qwen3,
  qwen3Moe,
  qwenImage,
  roberta,
  sd3,
  seedOss,
  segformer,
  smollm3,
  stablelm,
  starcoder2,
  t5,
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
  wav2vec2,
  whisper,
  zImage,
];
