// Written by scripts/registries.mjs from the files beside it: a new file is in by being there.
import type { Dialect } from './dialect';

export const dialects: readonly Dialect[] = [];
