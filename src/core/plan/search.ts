import { editsFor } from '../dialects/write';
import type { Signal } from '../ports';
import type { Goal, Plan, PlanOptions, PlanSearch } from './plan';
import { arithmetic } from './arithmetic';
import { perDevice } from './batch';
import { trialOf } from './effect';
import type { Trial } from './effect';
import { priceChanges } from './price';
import { remedies } from './remedies/registry';
import type { Change, Price, Remedy, RemedyContext, RemedyOption } from './remedy';

/** Lets the host do other things between two slices of work. */
export type Pause = () => Promise<void>;

/** Candidates between two pauses: a few milliseconds of work. */
const SLICE = 8;
const MOST_PLANS = 5;

/** Options of several remedies, to be done together. */
export interface Candidate {
  readonly ids: readonly string[];
  readonly changes: readonly Change[];
  readonly price: Price;
  readonly trades: number;
}

/**
 * Every combination of one option per remedy, best first, each estimated unless one that reaches the goal beats it in
 * time, quality and number of changes: exact over the estimator, not a ladder of steps. Of equals the first is taken:
 * options come mildest first.
 */
export async function searchPlans(
  context: RemedyContext,
  options: PlanOptions,
  pause: Pause,
  signal: Signal,
): Promise<PlanSearch> {
  const slots = optionSlots(context, options);
  const candidates = inOrder(slots.usable);
  const taken: Candidate[] = [];
  const plans: Plan[] = [];
  for (const [i, candidate] of candidates.entries()) {
    if (plans.length === MOST_PLANS) break;
    if (i % SLICE === SLICE - 1) await pause();
    if (signal.aborted) return { plans: [], tried: i, rejected: [] };
    if (taken.some(other => covers(other, candidate))) continue;
    const plan = planOf(context, candidate, options);
    if (!plan) continue;
    taken.push(candidate);
    plans.push(plan);
  }
  return {
    plans,
    tried: candidates.length,
    rejected: [...slots.rejected, ...idle(slots.usable, plans, options.goal)],
  };
}

/** Every combination that the files can take and the user allows, best first. */
export function candidatesFor(context: RemedyContext, options: PlanOptions): readonly Candidate[] {
  return inOrder(optionSlots(context, options).usable);
}

const inOrder = (slots: readonly Slot[]): Candidate[] => combinations(slots).sort(byPreference);

interface Slot {
  readonly remedy: Remedy;
  readonly options: readonly RemedyOption[];
}

/** What each remedy offers that the files can take and the user allows. */
function optionSlots(context: RemedyContext, options: PlanOptions) {
  const usable: Slot[] = [];
  const rejected: { remedy: string; why: string }[] = [];
  for (const remedy of remedies) {
    const offered = offers(remedy, context, options);
    const refusals = new Set<string>();
    const writable = offered.filter(option => {
      if (option.price.quality !== null && !options.mayTrade) {
        refusals.add(`it changes the result: ${option.price.quality}`);
        return false;
      }
      const written = editsFor(context.run, option.changes);
      if (!written.ok) refusals.add(written.why);
      return written.ok;
    });
    if (writable.length > 0) usable.push({ remedy, options: writable });
    else for (const why of refusals) rejected.push({ remedy: remedy.label, why });
  }
  return { usable, rejected };
}

/** To fill memory, a remedy may be taken back or the batch grown; combined with nothing that costs time. */
function offers(remedy: Remedy, context: RemedyContext, options: PlanOptions): readonly RemedyOption[] {
  if (options.goal === 'fit') return remedy.less(context);
  const free = remedy.less(context).filter(({ price }) => price.time <= 1 && price.quality === null);
  return [...(remedy.more?.(context) ?? []), ...free];
}

function combinations(slots: readonly Slot[]): Candidate[] {
  let all: Candidate[] = [
    { ids: [], changes: [], price: { time: 1, speed: null, quality: null }, trades: 0 },
  ];
  for (const { remedy, options } of slots) {
    all = all.flatMap(base => [base, ...options.map(option => joined(base, remedy.id, option))]);
  }
  return all.slice(1);
}

function joined(base: Candidate, id: string, option: RemedyOption): Candidate {
  const both = (a: string | null, b: string | null): string | null => (a && b ? `${a}, ${b}` : (a ?? b));
  return {
    ids: [...base.ids, id],
    changes: [...base.changes, ...option.changes],
    price: {
      time: base.price.time * option.price.time,
      speed: both(base.price.speed, option.price.speed),
      quality: both(base.price.quality, option.price.quality),
    },
    trades: base.trades + (option.price.quality === null ? 0 : 1),
  };
}

const covers = (a: Candidate, b: Candidate): boolean =>
  a.price.time <= b.price.time && a.trades <= b.trades && a.changes.length <= b.changes.length;

const byPreference = (a: Candidate, b: Candidate): number =>
  a.trades - b.trades || a.price.time - b.price.time || a.changes.length - b.changes.length;

/** The plan that a candidate makes; null where it does not reach the goal. */
export function planOf(context: RemedyContext, candidate: Candidate, options: PlanOptions): Plan | null {
  const { changes, price, ids } = candidate;
  // To fill memory is to save time; a batch that was asked for is reason enough by itself.
  if (options.goal === 'fill' && context.samplesPerGpu === null && price.time >= 1) return null;
  const trial = trialOf(context, changes);
  if (!trial || !couldReach(context, trial, options)) return null;
  const priced = priceChanges(context, ids.join('+'), { changes, price }, trial.run);
  const after = priced.ok ? priced.effect.estimate?.devices[0] : undefined;
  if (!priced.ok || !after?.usableBytes) return null;
  if (after.verdict === 'exceeds' || after.device.expected > after.usableBytes * options.margin) return null;
  const before = context.estimate?.devices[0] ?? null;
  return { ...priced.remedy, before, after, arithmetic: arithmetic(context, priced.effect) };
}

/** What is left for the allocator to decide. */
function couldReach(context: RemedyContext, trial: Trial, { margin }: PlanOptions): boolean {
  if (!trial.usableBytes || trial.exceeds) return false;
  if (context.samplesPerGpu !== null && perDevice(trial.run) !== context.samplesPerGpu) return false;
  return trial.leastBytes <= trial.usableBytes * margin;
}

/** Remedies that could be written but are in no plan. */
function idle(slots: readonly Slot[], plans: readonly Plan[], goal: Goal): { remedy: string; why: string }[] {
  const used = new Set(plans.flatMap(plan => plan.id.split('+')));
  const why = plans.length > 0 ? 'other plans reach the goal at a lower price' : IN_VAIN[goal];
  return slots.filter(slot => !used.has(slot.remedy.id)).map(slot => ({ remedy: slot.remedy.label, why }));
}

const IN_VAIN: Readonly<Record<Goal, string>> = {
  fit: 'it is not enough, alone or with others',
  fill: 'the memory that is spare does not allow it',
};
