import type { DeviceEstimate } from '../memory/estimate';
import type { Signal } from '../ports';
import { formatBytes } from '../render/units';
import { arithmetic } from './arithmetic';
import { perDevice } from './batch';
import { adviceFor } from './advice';
import { candidatesOf } from './candidates';
import type { Candidate } from './candidates';
import { mapProposal } from './deviceMap/proposal';
import { mapAdvice } from './deviceMap/text';
import { trialOf } from './effect';
import type { Trial } from './effect';
import { NO_PLANS } from './plan';
import type { Goal, Plan, PlanOptions, PlanSearch } from './plan';
import { priceChanges } from './price';
import { searchFewest } from './fewest';
import { reasons } from './reasons';
import type { RemedyContext } from './remedy';
import { isServed, marginOf } from './serving';
import { slotsOf } from './slots';
import type { Rejected, Slot } from './slots';

/** Lets the host do other things between two slices of work. */
export type Pause = () => Promise<void>;

/** Candidates that are estimated between two pauses: a few milliseconds of work. */
const SLICE = 8;
const MOST_PLANS = 5;

/** What nobody would change a key for. */
const LEAST_WORTH_BYTES = 16 * 2 ** 20;

interface Found {
  readonly candidate: Candidate;
  readonly plan: Plan;
}

/**
 * Combinations of one option per remedy, best first for the goal, each estimated unless one that reaches the goal beats
 * it in time, quality and number of changes, or what it trades cannot be enough: exact over the estimator, not a ladder
 * of steps. Of equals the first is taken: options come mildest first.
 */
export async function searchPlans(
  context: RemedyContext,
  options: PlanOptions,
  pause: Pause,
  signal: Signal,
): Promise<PlanSearch> {
  const ruled = options.batchRule === undefined ? context : { ...context, batchRule: options.batchRule };
  if (options.goal === 'fewest') {
    return searchFewest(ruled, one => search(one, options, pause, signal));
  }
  const beside = besideFiles(context);
  if (options.goal === 'fit' && isReached(context, options)) return { ...NO_PLANS, ...beside, reached: true };
  const found = await search(ruled, options, pause, signal);
  return { ...found, ...beside, advice: [...found.advice, ...beside.advice] };
}

/** What a model that is only loaded asks for beside its config. */
function besideFiles(context: RemedyContext): Pick<PlanSearch, 'advice' | 'deviceMap'> {
  const deviceMap = mapProposal(context);
  return deviceMap ? { deviceMap, advice: mapAdvice(context, deviceMap) } : { advice: [] };
}

/** It fits as it is, with the margin that was asked for. */
function isReached({ run, estimate, samplesPerGpu }: RemedyContext, options: PlanOptions): boolean {
  const now = estimate?.devices[0];
  if (!now?.usableBytes || samplesPerGpu !== null) return false;
  return now.verdict === 'fits' && now.device.expected <= now.usableBytes * marginOf(run, options);
}

async function search(
  context: RemedyContext,
  options: PlanOptions,
  pause: Pause,
  signal: Signal,
): Promise<PlanSearch> {
  const { slots, rejected } = slotsOf(context, options);
  const found = await walk(context, slots, options, pause, signal);
  if (found === null) return NO_PLANS;
  const plans = reasons(found.plans, options.goal);
  return {
    plans,
    tried: found.tried,
    rejected: [...rejected, ...idle(slots, plans, options.goal)],
    advice: adviceFor(context, plans[0]?.gpus ?? null),
  };
}

/** Null when it was given up. */
async function walk(
  context: RemedyContext,
  slots: readonly Slot[],
  options: PlanOptions,
  pause: Pause,
  signal: Signal,
) {
  const found: Found[] = [];
  let tried = 0;
  let estimated = 0;
  for (const candidate of candidatesOf(slots, context, options)) {
    if (signal.aborted) return null;
    tried = candidate.place;
    if (found.some(other => covers(other.candidate, candidate))) continue;
    if (++estimated % SLICE === 0) await pause();
    const plan = planOf(context, candidate, options);
    const one = plan && { candidate, plan };
    if (one && !found.some(other => dominates(other, one))) found.push(one);
    if (found.length === MOST_PLANS) break;
  }
  return { plans: found.map(({ plan }) => plan), tried };
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
  if (!isRoomy(context, before, after, options)) return null;
  const proof = arithmetic(context, priced.effect);
  return { ...priced.remedy, before, after, arithmetic: proof, reason: '', gpus: null };
}

/** It leaves the margin; an engine, that leaves its own, is at least no tighter than it was. */
function isRoomy(
  { run }: RemedyContext,
  before: DeviceEstimate | null,
  after: DeviceEstimate,
  options: PlanOptions,
): boolean {
  const { verdict, device, usableBytes } = after;
  if (verdict === 'exceeds' || !usableBytes) return false;
  const isTightAgain = isServed(run) && verdict === 'tight' && before?.verdict !== 'exceeds';
  return device.expected <= usableBytes * marginOf(run, options) && !isTightAgain;
}

/** What is left for the allocator to decide. */
function couldReach(context: RemedyContext, trial: Trial, options: PlanOptions): boolean {
  if (!trial.usableBytes || trial.exceeds) return false;
  const wanted = context.samplesPerGpu;
  const samples = perDevice(trial.run);
  if (wanted !== null && (samples === null || samples < wanted.least || samples > wanted.most)) return false;
  return trial.leastBytes <= trial.usableBytes * marginOf(context.run, options);
}

/** Remedies that could be written but are in no plan. */
function idle(slots: readonly Slot[], plans: readonly Plan[], goal: Goal): readonly Rejected[] {
  const used = new Set(plans.flatMap(plan => plan.id.split('+')));
  const why = plans.length > 0 ? 'other plans reach the goal at a lower price' : IN_VAIN[goal];
  return slots
    .filter(slot => !used.has(slot.remedy.id))
    .map(slot => ({ remedy: slot.remedy.label, why: [...byItself(slot), why].join('; ') }));
}

/** `frees 0.3 GB by itself`. */
function byItself({ leanest }: Slot): string[] {
  if (leanest === null) return [];
  const { price } = leanest.option;
  const words = [price.speed, price.quality].flatMap(text => text?.split(':')[0] ?? []);
  const freed = -leanest.deltaBytes;
  const says =
    freed < LEAST_WORTH_BYTES ? 'frees next to nothing by itself' : `frees ${formatBytes(freed)} by itself`;
  return [[says, ...words].join(', ')];
}

const NOT_ENOUGH = 'it is not enough, alone or with others';
const NO_ROOM = 'the memory that is spare does not allow it';

const IN_VAIN: Readonly<Record<Goal, string>> = {
  fit: NOT_ENOUGH,
  fewest: NOT_ENOUGH,
  fill: NO_ROOM,
  fastest: NO_ROOM,
  longest: NO_ROOM,
  largest: NO_ROOM,
};
