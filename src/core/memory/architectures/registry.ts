// Written by scripts/registries.mjs from the files beside it: a new file is in by being there.
import type { Architecture } from '../architecture';
import { bert } from './bert';
import { llama, granite } from './llama';

export const architectures: readonly Architecture[] = [bert, llama, granite];
