import { builtIn } from './defined/compile';
import file from './nemoMegatron.yaml';
import type { Dialect } from './dialect';
import { lora } from './nemoMegatron/lora';
import { nemoModel } from './nemoMegatron/ownModel';

/** NeMo 1.x on Megatron, and the files of its launcher; sources are files of NVIDIA/NeMo 8cfedd7 (2.6.0rc0). */
export const nemoMegatron: Dialect = builtIn(file, { quantities: { lora }, ownModel: nemoModel });
