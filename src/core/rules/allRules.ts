import { rulesOf } from './fact';
import { facts } from './facts/registry';
import { guideRules } from './guides/registry';
import { rules } from './registry';
import type { Rule } from './rule';

/** Every rule: those that are files, those of the guides, and those that are facts of a dialect. */
export const allRules: readonly Rule[] = [...rules, ...guideRules, ...facts.flatMap(rulesOf)];
