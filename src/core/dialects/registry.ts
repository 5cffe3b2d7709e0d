// Written by scripts/registries.mjs from the files beside it: a new file is in by being there.
import type { Dialect } from './dialect';
import { axolotl } from './axolotl';
import { deepspeed } from './deepspeed';

export const dialects: readonly Dialect[] = [axolotl, deepspeed];
