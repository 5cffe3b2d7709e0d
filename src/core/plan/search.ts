import type { Signal } from '../ports';
import type { Goal, Plan, PlanOptions, PlanSearch } from './plan';
import { arithmetic } from './arithmetic';
import { perDevice } from './batch';
import { effectOf } from './effect';
import { priceChanges } from './price';
import { remedies } from './remedies/registry';
import type { Change, Price, Remedy, RemedyContext, RemedyOption } from './remedy';

/** Lets the host do other things between two slices of work. */
export type Pause = () => Promise<void>;

/** Candidates between two pauses: a few milliseconds of work. */
const SLICE = 16;
const MOST_PLANS = 5;

interface Candidate {
  readonly ids: readonly string[];
  readonly changes: readonly Change[];
  readonly price: Price;
  readonly trades: number;
}

/**
 * Every combination of one option per remedy, each estimated: exact over the estimator, not a ladder of steps.
 * Keeps those that reach the goal and are not beaten in time, quality and number of changes by another.
 */
export async function searchPlans(
  context: RemedyContext,
  options: PlanOptions,
  pause: Pause,
  signal: Signal,
): Promise<PlanSearch> {
  const slots = optionSlots(context, options);
  const candidates = combinations(slots.usable);
  const reaching: Candidate[] = [];
  for (const [i, candidate] of candidates.entries()) {
    if (i % SLICE === SLICE - 1) await pause();
    if (signal.aborted) return { plans: [], tried: i, rejected: [] };
    if (reaches(context, candidate, options)) reaching.push(candidate);
  }
  const best = pareto(reaching).sort(byPreference).slice(0, MOST_PLANS);
  const plans = best.flatMap(candidate => planOf(context, candidate));
  return {
    plans,
    tried: candidates.length,
    rejected: [...slots.rejected, ...idle(slots.usable, plans, options.goal)],
  };
}

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
      const priced = priceChanges(context, remedy.id, option.changes, option.price);
      if (!priced.ok) refusals.add(priced.why);
      return priced.ok;
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

function reaches(context: RemedyContext, candidate: Candidate, options: PlanOptions): boolean {
  const { run, estimate } = effectOf(context, candidate.changes);
  const after = estimate?.devices[0];
  if (!after?.usableBytes) return false;
  if (context.samplesPerGpu !== null && perDevice(run) !== context.samplesPerGpu) return false;
  // To fill memory is to save time; a batch that was asked for is reason enough by itself.
  if (options.goal === 'fill' && context.samplesPerGpu === null && candidate.price.time >= 1) return false;
  return after.device.expected <= after.usableBytes * options.margin && after.verdict !== 'exceeds';
}

/**
 * Drops every candidate that another one beats or equals in time, trades and number of changes. Of equals the first
 * stays: options come mildest first.
 */
function pareto(all: readonly Candidate[]): Candidate[] {
  return all.filter(
    (one, at) => !all.some((other, i) => i !== at && covers(other, one) && (i < at || !covers(one, other))),
  );
}

const covers = (a: Candidate, b: Candidate): boolean =>
  a.price.time <= b.price.time && a.trades <= b.trades && a.changes.length <= b.changes.length;

const byPreference = (a: Candidate, b: Candidate): number =>
  a.trades - b.trades || a.price.time - b.price.time || a.changes.length - b.changes.length;

function planOf(context: RemedyContext, candidate: Candidate): Plan[] {
  const priced = priceChanges(context, candidate.ids.join('+'), candidate.changes, candidate.price);
  const after = priced.ok ? priced.effect.estimate?.devices[0] : undefined;
  if (!priced.ok || !after) return [];
  const before = context.estimate?.devices[0] ?? null;
  return [{ ...priced.remedy, before, after, arithmetic: arithmetic(context, priced.effect) }];
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
