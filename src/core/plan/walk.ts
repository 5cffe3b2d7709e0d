import type { Signal } from '../ports';
import { arithmetic } from './arithmetic';
import { perDevice } from './batch';
import { candidatesOf } from './candidates';
import type { Candidate } from './candidates';
import { trialOf } from './effect';
import type { Trial } from './effect';
import { holdsElsewhere } from './elsewhere';
import type { Plan, PlanOptions } from './plan';
import { priceChanges } from './price';
import type { RemedyContext } from './remedy';
import { isRoomy } from './roomy';
import { marginOf } from './serving';
import type { Slot } from './slots';

/** Lets the host do other things between two slices of work. */
export type Pause = () => Promise<void>;

/** Candidates that are estimated between two pauses: a few milliseconds of work. */
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
  let estimated = 0;
  let refused = 0;
  for (const candidate of candidatesOf(slots, context, options)) {
    if (signal.aborted) return null;
    tried = candidate.place;
    if (found.some(other => covers(other.candidate, candidate))) continue;
    if (++estimated % SLICE === 0) await pause();
    const plan = planOf(context, candidate, options);
    const one = plan && { candidate, plan };
    if (!one || found.some(other => dominates(other, one))) continue;
    if (holdsElsewhere(context, candidate.changes, options)) found.push(one);
    else refused += 1;
    if (found.length === MOST_PLANS || refused === MOST_REFUSED) break;
  }
  return { found, tried };
}

const covers = (a: Candidate, b: Candidate): boolean =>
  a.gain >= b.gain &&
  a.price.time <= b.price.time &&
  a.trades <= b.trades &&
  a.changes.length <= b.changes.length;

/** Against one that takes no more memory nor time, and trades no more for no less, a plan has nothing for it. */
const dominates = (a: Found, b: Found): boolean =>
  a.candidate.gain >= b.candidate.gain &&
  a.candidate.price.time <= b.candidate.price.time &&
  a.candidate.trades <= b.candidate.trades &&
  a.plan.after.device.expected <= b.plan.after.device.expected;

/** The plan that a candidate makes; null where it does not reach the goal. */
export function planOf(context: RemedyContext, candidate: Candidate, options: PlanOptions): Plan | null {
  const { changes, price, ids } = candidate;
  const trial = trialOf(context, changes);
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
