import { candidatesOf, roomOf } from './candidates';
import type { Candidate } from './candidates';
import { isAlikeInTraining } from './order';
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
  // What only just fits is asked of the next device, too, and what is enough.
  const waiting: Candidate[] = [];
  let candidate = candidates.next();
  let seen = 0;
  for (const context of contexts) {
    oversized = new OversizedCombinations(context, slots, roomOf(context, options));
    const best = new Best();
    const isHopeless = oversized.isHopeless();
    const tried = (one: Candidate): Plan | null =>
      oversized.has(one.indices) ? null : planOf(context, one, options, oversized.trial(one.indices));
    if (!isHopeless) for (const one of waiting) best.take(one, tried(one));
    while (!candidate.done && !isHopeless && !best.isDecidedBefore(candidate.value)) {
      if (++seen % SLICE === 0) await pause();
      if (signal.aborted) return null;
      const plan = tried(candidate.value);
      best.take(candidate.value, plan);
      if (best.fits) break;
      if (plan) waiting.push(candidate.value);
      candidate = candidates.next();
    }
    plans.push(best.plan);
  }
  return plans;
}

/** Candidates that are looked at for one that fits, where another only just does. */
const MOST_BEYOND = 48;

/** The first plan that fits; until then the first that only just does. */
class Best {
  plan: Plan | null = null;
  fits = false;
  private trades = 0;
  private beyond = 0;

  take({ trades }: Candidate, plan: Plan | null): void {
    if (!plan || this.fits) return;
    this.fits = plan.after.verdict === 'fits';
    if (this.plan && !(this.fits && isAlikeInTraining(this.plan, plan))) {
      this.fits = false;
      return;
    }
    this.plan = plan;
    this.trades = trades;
  }

  /** Candidates come by what they trade: those from this one on give up more of the result, or are too many. */
  isDecidedBefore({ trades }: Candidate): boolean {
    return this.plan !== null && (trades > this.trades || ++this.beyond > MOST_BEYOND);
  }
}
