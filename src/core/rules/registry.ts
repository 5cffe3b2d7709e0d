// Written by scripts/registries.mjs from the files beside it: a new file is in by being there.
import type { Rule } from './rule';

export const rules: readonly Rule[] = [];
