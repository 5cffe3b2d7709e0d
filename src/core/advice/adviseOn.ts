import type { Advice } from './advice';
import { adviceRules } from './rules/registry';
import type { Signals } from './signals';
import { english } from '../text/say';
import type { Say } from '../text/say';

/** All advice about a GPU, warnings first. */
export function adviseOn(signals: Signals, say: Say = english): readonly Advice[] {
  const found = adviceRules.flatMap(rule => {
    const advice = rule.check(signals, say);
    return advice === null ? [] : [{ rule: rule.id, source: rule.source, ...advice }];
  });
  const rank = ({ severity }: Advice): number => (severity === 'warning' ? 0 : 1);
  return found.sort((a, b) => rank(a) - rank(b));
}
