import { keysIn, ownLayers } from './raw';
import type { RuleContext } from './rule';

/**
 * What rules look at. Keys are looked up in the config and what is laid over it (a curriculum stage); a DeepSpeed file
 * that the config names has keys of its own (see `fileOf`).
 */
export function ruleContext(facts: Omit<RuleContext, 'raw'>): RuleContext {
  return { ...facts, ...keysIn(ownLayers(facts.run)) };
}
