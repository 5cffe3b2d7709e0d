import { keysIn, ownLayers } from './raw';
import type { RuleContext } from './rule';

type Facts = Omit<RuleContext, 'raw' | 'modelWhy'> & Partial<Pick<RuleContext, 'modelWhy'>>;

/**
 * What rules look at. Keys are looked up in the config and what is laid over it (a curriculum stage); a DeepSpeed file
 * that the config names has keys of its own (see `fileOf`).
 */
export function ruleContext(facts: Facts): RuleContext {
  return { modelWhy: null, ...facts, ...keysIn(ownLayers(facts.run)) };
}
