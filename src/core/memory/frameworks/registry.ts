// Written by scripts/registries.mjs: it lists every file of this folder.
import { litgpt } from './litgpt';
import { llmFoundry } from './llmFoundry';
import { lmdeploy } from './lmdeploy';
import { megatronLm, msSwiftMegatron, nemoMegatron, megatronBridge } from './megatron';
import { nemoAutomodel } from './nemoAutomodel';
import { tei } from './serving';
import { sglang } from './sglang';
import { simpletuner } from './simpletuner';
import { tensorrtLlm } from './tensorrtLlm';
import { tgi } from './tgi';
import { torchtitan } from './torchtitan';
import { torchtune } from './torchtune';
import { transformers, trl, axolotl, llamafactory, diffusers } from './transformers';
import { gptNeox, levanter, lingua, maxtext, nanotron, ultralytics } from './unmodeled';
import { unsloth } from './unsloth';
import { vllm } from './vllm';

export const frameworkProfiles = [
  litgpt,
  llmFoundry,
  lmdeploy,
  megatronLm,
  msSwiftMegatron,
  nemoMegatron,
  megatronBridge,
  nemoAutomodel,
  tei,
  sglang,
  simpletuner,
  tensorrtLlm,
  tgi,
  torchtitan,
  torchtune,
  transformers,
  trl,
  axolotl,
  llamafactory,
  diffusers,
  gptNeox,
  levanter,
  lingua,
  maxtext,
  nanotron,
  ultralytics,
  unsloth,
  vllm,
] as const;
