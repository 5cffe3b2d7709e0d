import type { Signal } from '../ports';
import type { Plan, PlanOptions } from './plan';
import type { RemedyContext } from './remedy';
import { candidatesFor, planOf } from './search';
import type { Pause } from './search';

/** Candidates between two pauses. */
const SLICE = 4;

/**
 * The best plan for each of several devices that are alike but for their room, most room first; null where none makes the
 * run fit. What is not enough for one device is not enough for a smaller one, so that all of them together cost one
 * pass over the candidates. Each plan is proven on its own device. Null once `signal` is aborted.
 */
export async function mildestPlans(
  contexts: readonly RemedyContext[],
  options: PlanOptions,
  pause: Pause,
  signal: Signal,
): Promise<readonly (Plan | null)[] | null> {
  const [largest] = contexts;
  if (!largest) return [];
  const candidates = candidatesFor(largest, options);
  const plans: (Plan | null)[] = [];
  let next = 0;
  let tried = 0;
  for (const context of contexts) {
    let plan: Plan | null = null;
    for (; next < candidates.length; next++) {
      if (++tried % SLICE === 0) await pause();
      if (signal.aborted) return null;
      const candidate = candidates[next];
      plan = candidate ? planOf(context, candidate, options) : null;
      if (plan) break;
    }
    plans.push(plan);
  }
  return plans;
}
