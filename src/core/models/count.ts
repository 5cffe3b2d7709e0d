import { familyOf } from './families/families';
import type { ModelFacts, ParameterCounts } from './model';

/** Parameters by kind, from the shapes alone; null for families whose shapes have no rule here. */
export function countParameters(model: ModelFacts): ParameterCounts | null {
  return familyOf(model.modelType)?.count?.(model) ?? null;
}
