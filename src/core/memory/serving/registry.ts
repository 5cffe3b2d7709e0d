// Written by scripts/registries.mjs from the files beside it: a new file is in by being there.
import type { Engine } from '../engine';
import { sglang } from './sglang';
import { tgi } from './tgi';
import { vllm } from './vllm';

export const engines: readonly Engine[] = [sglang, tgi, vllm];
