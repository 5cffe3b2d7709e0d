import { rulesOf } from './fact';
import { facts } from './facts/registry';
import { rules } from './registry';
import type { Rule } from './rule';

/** Every rule: those that are files, and those that are facts of a dialect. */
export const allRules: readonly Rule[] = [...rules, ...facts.flatMap(rulesOf)];
