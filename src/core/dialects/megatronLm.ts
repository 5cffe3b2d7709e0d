import { builtIn } from './defined/compile';
import file from './megatronLm.yaml';
import type { Dialect } from './dialect';
import { megatronLmModel } from './megatronLm/ownModel';

/** Megatron-LM's arguments on a command line; sources are files of NVIDIA/Megatron-LM d98e8a6 (core 0.20). */
export const megatronLm: Dialect = builtIn(file, { ownModel: megatronLmModel });
