// Written by scripts/registries.mjs from the files beside it: a new file is in by being there.
import { axolotl } from './axolotl';
import { diffusers } from './diffusers';
import { litgpt } from './litgpt';
import { llamafactory } from './llamafactory';
import { megatronLm, nemoMegatron, megatronBridge } from './megatron';
import { sglang } from './sglang';
import { simpletuner } from './simpletuner';
import { tei } from './tei';
import { tgi } from './tgi';
import { torchtitan } from './torchtitan';
import { torchtune } from './torchtune';
import { transformers } from './transformers';
import { trl } from './trl';
import { ultralytics } from './ultralytics';
import { gptNeox, levanter, lingua, maxtext, nanotron, unsloth } from './unmodeled';
import { vllm } from './vllm';

export const frameworkProfiles = [
  axolotl,
  diffusers,
  litgpt,
  llamafactory,
  megatronLm,
  nemoMegatron,
  megatronBridge,
  sglang,
  simpletuner,
  tei,
  tgi,
  torchtitan,
  torchtune,
  transformers,
  trl,
  ultralytics,
  gptNeox,
  levanter,
  lingua,
  maxtext,
  nanotron,
  unsloth,
  vllm,
] as const;
