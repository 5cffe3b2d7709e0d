import { candidatesOf, roomOf } from './candidates';
import type { Plan, PlanOptions } from './plan';
import type { RemedyContext } from './remedy';
import { slotsOf } from './slots';
import { OversizedCombinations } from './oversizedCombinations';
import { planOf } from './walk';
import type { Pause } from './walk';
import type { Signal } from '../signal';

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
  const { slots } = slotsOf(largest, options);
  let oversized = new OversizedCombinations(largest, slots, roomOf(largest, options));
  const candidates = candidatesOf(slots, largest, options, () => oversized);
  const plans: (Plan | null)[] = [];
  let candidate = candidates.next();
  let seen = 0;
  for (const context of contexts) {
    oversized = new OversizedCombinations(context, slots, roomOf(context, options));
    let plan: Plan | null = null;
    const isHopeless = oversized.isHopeless();
    while (!candidate.done && !plan && !isHopeless) {
      if (++seen % SLICE === 0) await pause();
      if (signal.aborted) return null;
      const { indices } = candidate.value;
      if (!oversized.has(indices)) {
        plan = planOf(context, candidate.value, options, oversized.trial(indices));
      }
      // What is enough here is asked of the next device, too.
      if (!plan) candidate = candidates.next();
    }
    plans.push(plan);
  }
  return plans;
}
