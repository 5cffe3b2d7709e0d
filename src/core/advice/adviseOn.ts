import type { Advice } from './advice';
import { adviceRules } from './rules/registry';
import type { Signals } from './signals';

/** All advice about a GPU, warnings first. */
export function adviseOn(signals: Signals): readonly Advice[] {
  const found = adviceRules.flatMap(rule => {
    const advice = rule.check(signals);
    return advice === null ? [] : [{ rule: rule.id, source: rule.source, ...advice }];
  });
  const rank = ({ severity }: Advice): number => (severity === 'warning' ? 0 : 1);
  return found.sort((a, b) => rank(a) - rank(b));
}
