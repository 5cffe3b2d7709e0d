import { candidatesOf, roomOf } from './candidates';
import type { Candidate } from './candidates';
import { trainsAlike } from './order';
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
 * The best plan for each of several devices that differ only in room, most room first; null if no plan fits. What
 * does not fit one device does not fit a smaller one, so one pass over the candidates serves all. Each plan is
 * proven on its own device. Returns null once `signal` is aborted.
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
  // Candidates that are tight on this device; the next devices try them too.
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

/** After a tight candidate, the search for one that fits looks at this many more. */
const MOST_BEYOND = 48;

/** The first plan that fits; until then the first tight one. */
class Best {
  plan: Plan | null = null;
  fits = false;
  private trades = 0;
  private beyond = 0;

  take({ trades }: Candidate, plan: Plan | null): void {
    if (!plan || this.fits) return;
    this.fits = plan.after.verdict === 'fits';
    if (this.plan && !(this.fits && trainsAlike(this.plan, plan))) {
      this.fits = false;
      return;
    }
    this.plan = plan;
    this.trades = trades;
  }

  /**
   * Candidates are sorted by what they trade: true if this and all later ones trade more, or if too many were
   * tried.
   */
  isDecidedBefore({ trades }: Candidate): boolean {
    return this.plan !== null && (trades > this.trades || ++this.beyond > MOST_BEYOND);
  }
}
