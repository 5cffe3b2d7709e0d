import type { Signal } from '../ports';
import { candidatesOf, roomOf } from './candidates';
import type { Plan, PlanOptions } from './plan';
import type { RemedyContext } from './remedy';
import { slotsOf } from './slots';
import { planOf } from './walk';
import type { Pause } from './walk';

/** Candidates between two pauses: to turn one away costs little, to estimate one a millisecond. */
const SLICE = 4;
const GLANCES = 512;

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
  const candidates = candidatesOf(slotsOf(largest, options).slots, largest, options);
  const plans: (Plan | null)[] = [];
  let candidate = candidates.next();
  let estimated = 0;
  let seen = 0;
  for (const context of contexts) {
    const room = roomOf(context, options);
    let plan: Plan | null = null;
    while (!candidate.done && !plan) {
      const isPossible = (candidate.value.floorBytes ?? 0) <= room;
      if ((isPossible && ++estimated % SLICE === 0) || ++seen % GLANCES === 0) await pause();
      if (signal.aborted) return null;
      if (isPossible) plan = planOf(context, candidate.value, options);
      // What is enough here is asked of the next device, too.
      if (!plan) candidate = candidates.next();
    }
    plans.push(plan);
  }
  return plans;
}
