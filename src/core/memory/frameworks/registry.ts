// Written by scripts/registries.mjs: it lists every file of this folder.
import { litgpt } from './litgpt';
import { megatronLm, msSwiftMegatron, nemoMegatron, megatronBridge } from './megatron';
import { vllm, sglang, tgi, tei } from './serving';
import { simpletuner } from './simpletuner';
import { torchtitan } from './torchtitan';
import { torchtune } from './torchtune';
import { transformers, trl, axolotl, llamafactory, diffusers } from './transformers';
import { gptNeox, levanter, lingua, maxtext, nanotron, ultralytics } from './unmodeled';
import { unsloth } from './unsloth';

export const frameworkProfiles = [
  litgpt,
  megatronLm,
  msSwiftMegatron,
  nemoMegatron,
  megatronBridge,
  vllm,
  sglang,
  tgi,
  tei,
  simpletuner,
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
] as const;
