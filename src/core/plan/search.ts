import { adviceFor } from './advice';
import { mapProposal } from './deviceMap/proposal';
import type { MapProposal } from './deviceMap/proposal';
import { mapAdvice } from './deviceMap/text';
import { searchCheapest } from './cheapest';
import { effectOf } from './effect';
import { searchFewest } from './fewest';
import { idle } from './idle';
import { NO_PLANS } from './plan';
import type { Plan, PlanOptions, PlanSearch } from './plan';
import { reasons } from './reasons';
import { deviceMap } from './remedies/deviceMap';
import type { RemedyContext } from './remedy';
import { marginOf } from './serving';
import { timeRatio, withTimes } from './planTime';
import { slotsOf } from './slots';
import { searchSteps } from './steps';
import type { Slot } from './slots';
import { walkTogether } from './together';
import type { Pause } from './walk';
import type { Signal } from '../signal';

/**
 * Combinations of one option per remedy, best first for the goal. Skips the estimate only if a plan beats the
 * combination in time, quality and number of changes, or if the combination cannot be enough: exact with respect to
 * the estimator, not a fixed ladder of steps. The first of equals wins: options come mildest first.
 */
export async function searchPlans(
  context: RemedyContext,
  options: PlanOptions,
  pause: Pause,
  signal: Signal,
): Promise<PlanSearch> {
  if ((context.estimate?.guesses ?? 0) > 0) return { ...NO_PLANS, isGuessed: true };
  const ruled = options.batchRule === undefined ? context : { ...context, batchRule: options.batchRule };
  if (options.goal === 'fewest') {
    return searchFewest(ruled, one => search(one, options, pause, signal));
  }
  if (options.goal === 'cheapest') {
    return searchCheapest(ruled, one => search(one, { ...options, goal: 'fastest' }, pause, signal));
  }
  const proposal = mapProposal(context);
  const isDone =
    context.estimate?.onMachine === true || (options.goal === 'fit' && isReached(context, options));
  if (isDone) return { ...NO_PLANS, ...loadingAdvice(context, proposal, []), reached: true };
  const found =
    options.goal === 'steps'
      ? await searchSteps(ruled, options, pause, signal)
      : await search(ruled, options, pause, signal);
  const plans = options.goal === 'steps' ? withTimes(ruled, found.plans) : found.plans;
  const { advice, ...others } = loadingAdvice(context, proposal, found.plans);
  return { ...found, plans, ...others, advice: [...found.advice, ...advice] };
}

/** Advice for loading a model, in addition to its config. */
function loadingAdvice(
  context: RemedyContext,
  proposal: MapProposal | null,
  plans: readonly Plan[],
): Pick<PlanSearch, 'advice' | 'deviceMap'> {
  const isPlanned = plans.some(({ id }) => id.split('+').includes(deviceMap.id));
  return proposal ? { deviceMap: proposal, advice: mapAdvice(context, proposal, isPlanned) } : { advice: [] };
}

/** True if the run already fits with the requested margin. */
function isReached(context: RemedyContext, options: PlanOptions): boolean {
  const { samplesPerGpu, others = [] } = context;
  return samplesPerGpu === null && [context, ...others].every(one => fitsAlready(one, options));
}

function fitsAlready({ run, estimate }: RemedyContext, options: PlanOptions): boolean {
  const now = estimate?.devices[0];
  if (!now?.usableBytes) return false;
  return now.verdict === 'fits' && now.device.expected <= now.usableBytes * marginOf(run, options);
}

async function search(
  context: RemedyContext,
  options: PlanOptions,
  pause: Pause,
  signal: Signal,
): Promise<PlanSearch> {
  const { slots, rejected } = slotsOf(context, options);
  const walked = await walkTogether(context, slots, options, pause, signal);
  if (walked === null) return NO_PLANS;
  const plans = reasons(context.say, ranked(withTimes(context, walked.plans), options), options.goal);
  return {
    plans,
    tried: walked.tried,
    rejected: [...rejected, ...idle(context, slots, plans, options)],
    advice: adviceFor(context, plans[0]?.gpus ?? null),
    ...(plans.length === 0 && options.goal === 'fit' && leastOf(context, slots)),
    ...(isUnsized(slots, options) && { isUnsized: true }),
  };
}

/** Times that differ by less are equal: the order then follows from the changes. */
const DISTINCT = 0.02;

/** For speed, the plans in the order of their computed times, where all are known; else as they were found. */
function ranked(plans: readonly Plan[], { goal }: PlanOptions): readonly Plan[] {
  const timed = plans.flatMap(({ time }) => time ?? []);
  if (goal !== 'fastest' || timed.length < plans.length) return plans;
  const stepOf = ({ time }: Plan): number => (time ? Math.round(timeRatio(time) / DISTINCT) : 0);
  return plans.toSorted((a, b) => stepOf(a) - stepOf(b));
}

/** True if the files have nothing to make longer or larger. */
const isUnsized = (slots: readonly Slot[], { goal }: PlanOptions): boolean =>
  (goal === 'longest' || goal === 'largest') && !slots.some(({ remedy }) => remedy.towards?.goal === goal);

/** All available changes together, each at its leanest. */
function leastOf(context: RemedyContext, slots: readonly Slot[]): Pick<PlanSearch, 'least'> {
  const changes = slots.flatMap(({ leanest }) => leanest?.option.changes ?? []);
  const least = effectOf(context, changes).estimate?.devices[0];
  return least ? { least } : {};
}
