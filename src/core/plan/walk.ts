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

/** Lets the host do other things between two slices of work. */
export type Pause = () => Promise<void>;

/** Combinations that are estimated between two pauses: a few milliseconds of work. */
const SLICE = 8;
const MOST_PLANS = 5;

/** Plans for one run that the others have refused: more of them will be, too. */
const MOST_REFUSED = 48;

/** A combination that reaches the goal, and the plan that it makes. */
export interface Found {
  readonly candidate: Candidate;
  readonly plan: Plan;
}

/** What combinations reach the goal, best first; null when it was given up. */
export async function walk(
  context: RemedyContext,
  slots: readonly Slot[],
  options: PlanOptions,
  pause: Pause,
  signal: Signal,
) {
  const found: Found[] = [];
  let tried = 0;
  let asked = 0;
  let refused = 0;
  const oversized = new OversizedCombinations(context, slots, roomOf(context, options));
  if (oversized.isHopeless()) return { found, tried: countOf(slots) };
  for (const candidate of candidatesOf(slots, context, options, () => oversized)) {
    if (signal.aborted) return null;
    const last = found.at(-1);
    if (last && isEnoughFound(found) && !isAlike(last.candidate, candidate)) break;
    tried = candidate.place;
    if (found.some(other => covers(other, candidate))) continue;
    if (oversized.asked >= asked + SLICE) {
      asked = oversized.asked;
      await pause();
    }
    if (oversized.has(candidate.indices)) continue;
    const plan = planOf(context, candidate, options, oversized.trial(candidate.indices));
    const one = plan && { candidate, plan };
    if (!one || found.some(other => dominates(other, one))) continue;
    if (holdsElsewhere(context, candidate.changes, options)) take(found, one);
    else refused += 1;
    if (refused === MOST_REFUSED) break;
  }
  return { found: fitsFirst(found, options.goal).slice(0, MOST_PLANS), tried };
}

/** Plans that only just fit are no choice by themselves: one that fits is looked for a little longer. */
const isEnoughFound = (found: readonly Found[]): boolean =>
  found.length >= 2 * MOST_PLANS ||
  (found.length >= MOST_PLANS && found.some(({ plan }) => plan.after.verdict === 'fits'));

/** Of two at the same price the one that takes less memory stays. */
function take(found: Found[], one: Found): void {
  const beaten = found.findIndex(other => isAlike(other.candidate, one.candidate) && dominates(one, other));
  if (beaten < 0) found.push(one);
  else found[beaten] = one;
}

/** Products of the same factors in another order differ in the last digit. */
const SAME = 1e-9;

const noSlower = (a: Candidate, b: Candidate): boolean => a.price.time <= b.price.time * (1 + SAME);

const noWorse = (a: Candidate, b: Candidate): boolean =>
  a.gain >= b.gain && noSlower(a, b) && a.trades <= b.trades;

/** Nothing tells them apart but memory. */
const isAlike = (a: Candidate, b: Candidate): boolean =>
  noWorse(a, b) && noWorse(b, a) && a.changes.length === b.changes.length;

/** Whatever memory it takes, no one would choose the other instead; of one that only just fits that is not so. */
const covers = ({ candidate: a, plan }: Found, b: Candidate): boolean =>
  plan.after.verdict === 'fits' && noWorse(a, b) && a.changes.length <= b.changes.length && !isAlike(a, b);

/** Against one that takes no more memory nor time, and trades no more for no less, a plan has nothing for it. */
const dominates = (a: Found, b: Found): boolean =>
  noWorse(a.candidate, b.candidate) && a.plan.after.device.expected <= b.plan.after.device.expected;

/** The plan that a candidate makes; null where it does not reach the goal. */
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

/** What is left for the allocator to decide. */
function couldReach(context: RemedyContext, trial: Trial, options: PlanOptions): boolean {
  if (!trial.usableBytes || trial.exceeds) return false;
  const wanted = context.samplesPerGpu;
  const samples = perDevice(trial.run);
  if (wanted !== null && (samples === null || samples < wanted.least || samples > wanted.most)) return false;
  return trial.leastBytes <= trial.usableBytes * marginOf(context.run, options);
}
