// Written by scripts/registries.mjs from the files beside it: a new file is in by being there.
import type { Architecture } from '../architecture';
import { llama, granite } from './llama';

export const architectures: readonly Architecture[] = [llama, granite];
