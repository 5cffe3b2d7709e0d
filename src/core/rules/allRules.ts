import { rulesOf } from './fact';
import { facts } from './facts/registry';
import { guideRules } from './guides/registry';
import { rules } from './registry';
import type { Rule } from './rule';

/** All rules: separate files, those of the guides, and the facts of dialects. */
export const allRules: readonly Rule[] = [...rules, ...guideRules, ...facts.flatMap(rulesOf)];
