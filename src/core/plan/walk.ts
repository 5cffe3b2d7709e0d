import { arithmetic } from './arithmetic';
import { perDevice } from './batch';
import { candidatesOf, countOf, roomOf } from './candidates';
import type { Candidate } from './candidates';
import type { Trial } from './effect';
import { holdsElsewhere } from './elsewhere';
import { fitsFirst } from './order';
import type { Plan, PlanOptions } from './plan';
import { priceChanges } from './price';
import type { RemedyContext } from './remedy';
import { isRoomy, marginOf } from './serving';
import type { Slot } from './slots';
import { OversizedCombinations } from './oversizedCombinations';
import type { Signal } from '../signal';

/** Yields to the host between two slices of work. */
export type Pause = () => Promise<void>;

/** Estimated combinations between two pauses: a few milliseconds of work. */
const SLICE = 8;
const MOST_PLANS = 5;

/** After this many plans that do not suit the other runs, more of them are unlikely to. */
const MOST_REFUSED = 48;

/** A combination that reaches the goal, and its plan. */
export interface Found {
  readonly candidate: Candidate;
  readonly plan: Plan;
}

/** The combinations that reach the goal, best first; null if aborted. */
export async function walk(
  context: RemedyContext,
  slots: readonly Slot[],
  options: PlanOptions,
  pause: Pause,
  signal: Signal,
) {
  const found: Found[] = [];
  // Plans that give too little more than those before them for what they cost: what only adds to them does, too.
  const slight: Found[] = [];
  let tried = 0;
  let asked = 0;
  let refused = 0;
  const oversized = new OversizedCombinations(context, slots, roomOf(context, options));
  if (oversized.isHopeless()) return { found, tried: countOf(slots) };
  for (const candidate of candidatesOf(slots, context, options, () => oversized)) {
    if (signal.aborted) return null;
    const last = found.at(-1);
    if (last && isEnoughFound(found) && !differsOnlyInMemory(last.candidate, candidate)) break;
    tried = candidate.place;
    if (found.some(other => covers(other, candidate))) continue;
    if (oversized.asked >= asked + SLICE) {
      asked = oversized.asked;
      await pause();
    }
    if (oversized.has(candidate.indices)) continue;
    const plan = planOf(context, candidate, options, oversized.trial(candidate.indices));
    const one = plan && { candidate, plan };
    if (!one) continue;
    if ([...found, ...slight].some(other => dominates(other, one))) {
      slight.push(one);
      continue;
    }
    if (holdsElsewhere(context, candidate.changes, options)) take(found, one);
    else refused += 1;
    if (refused === MOST_REFUSED) break;
  }
  return { found: fitsFirst(found, options.goal).slice(0, MOST_PLANS), tried };
}

/** Tight plans alone are not enough: the search continues a little for one that fits. */
const isEnoughFound = (found: readonly Found[]): boolean =>
  found.length >= 2 * MOST_PLANS ||
  (found.length >= MOST_PLANS && found.some(({ plan }) => plan.after.verdict === 'fits'));

/** Of two plans at the same price, keeps the one with less memory. */
function take(found: Found[], one: Found): void {
  const beaten = found.findIndex(
    other => differsOnlyInMemory(other.candidate, one.candidate) && dominates(one, other),
  );
  if (beaten < 0) found.push(one);
  else found[beaten] = one;
}

/** Tolerance: products in another order differ in the last digit. */
const SAME = 1e-9;

const noSlower = (a: Candidate, b: Candidate): boolean => a.price.time <= b.price.time * (1 + SAME);

const noWorse = (a: Candidate, b: Candidate): boolean =>
  a.gain >= b.gain && noSlower(a, b) && a.trades <= b.trades;

/** True if two candidates can only differ in memory. */
const differsOnlyInMemory = (a: Candidate, b: Candidate): boolean =>
  noWorse(a, b) && noWorse(b, a) && a.changes.length === b.changes.length;

/**
 * True if the other candidate is worse, whatever memory it needs; only for a plan that fits, not for a tight one.
 */
const covers = ({ candidate: a, plan }: Found, b: Candidate): boolean =>
  plan.after.verdict === 'fits' &&
  noWorse(a, b) &&
  a.changes.length <= b.changes.length &&
  !differsOnlyInMemory(a, b);

/** Less memory than this share of the GPU is no reason to train otherwise, or more slowly. */
const LEAST_SHARE = 0.05;

/** True if the other plan is nowhere better: not in memory, time, gain or quality. */
function dominates(a: Found, b: Found): boolean {
  if (!noWorse(a.candidate, b.candidate)) return false;
  const costsMore = !noWorse(b.candidate, a.candidate) && b.plan.after.verdict === a.plan.after.verdict;
  const worthBytes = costsMore ? LEAST_SHARE * (a.plan.after.usableBytes ?? 0) : 0;
  return a.plan.after.device.expected <= b.plan.after.device.expected + worthBytes;
}

/** The plan of a candidate; null if it does not reach the goal. */
export function planOf(
  context: RemedyContext,
  candidate: Candidate,
  options: PlanOptions,
  trial: Trial | null,
): Plan | null {
  const { changes, price, ids } = candidate;
  if (!trial || !couldReach(context, trial, options)) return null;
  const priced = priceChanges(context, ids.join('+'), { changes, price }, trial.run);
  const after = priced.ok ? priced.effect.estimate?.devices[0] : undefined;
  if (!priced.ok || !after?.usableBytes) return null;
  const before = context.estimate?.devices[0] ?? null;
  if (!isRoomy(context, after, options)) return null;
  const proof = arithmetic(context, priced.effect);
  return { ...priced.remedy, before, after, arithmetic: proof, reason: '', gpus: null };
}

/** False if the plan cannot reach the goal, whatever the allocator does. */
function couldReach(context: RemedyContext, trial: Trial, options: PlanOptions): boolean {
  if (!trial.usableBytes || trial.exceeds) return false;
  const wanted = context.samplesPerGpu;
  const samples = perDevice(trial.run);
  if (wanted !== null && (samples === null || samples < wanted.least || samples > wanted.most)) return false;
  return trial.leastBytes <= trial.usableBytes * marginOf(context.run, options);
}
