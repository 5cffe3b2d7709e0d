import { adviceFor } from './advice';
import { mapProposal } from './deviceMap/proposal';
import type { MapProposal } from './deviceMap/proposal';
import { mapAdvice } from './deviceMap/text';
import { effectOf } from './effect';
import { searchFewest } from './fewest';
import { idle } from './idle';
import { NO_PLANS } from './plan';
import type { Plan, PlanOptions, PlanSearch } from './plan';
import { reasons } from './reasons';
import { deviceMap } from './remedies/deviceMap';
import type { RemedyContext } from './remedy';
import { marginOf } from './serving';
import { slotsOf } from './slots';
import { searchSteps } from './steps';
import type { Slot } from './slots';
import { walkTogether } from './together';
import type { Pause } from './walk';
import type { Signal } from '../signal';

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
  const proposal = mapProposal(context);
  const isDone =
    context.estimate?.onMachine === true || (options.goal === 'fit' && isReached(context, options));
  if (isDone) return { ...NO_PLANS, ...besideFiles(context, proposal, []), reached: true };
  const found =
    options.goal === 'steps'
      ? await searchSteps(ruled, options, pause, signal)
      : await search(ruled, options, pause, signal);
  const { advice, ...others } = besideFiles(context, proposal, found.plans);
  return { ...found, ...others, advice: [...found.advice, ...advice] };
}

/** What a model that is only loaded asks for in addition to its config. */
function besideFiles(
  context: RemedyContext,
  proposal: MapProposal | null,
  plans: readonly Plan[],
): Pick<PlanSearch, 'advice' | 'deviceMap'> {
  const isPlanned = plans.some(({ id }) => id.split('+').includes(deviceMap.id));
  return proposal ? { deviceMap: proposal, advice: mapAdvice(context, proposal, isPlanned) } : { advice: [] };
}

/** It fits as it is, with the margin that was asked for. */
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
  const plans = reasons(walked.plans, options.goal);
  return {
    plans,
    tried: walked.tried,
    rejected: [...rejected, ...idle(context, slots, plans, options)],
    advice: adviceFor(context, plans[0]?.gpus ?? null),
    ...(plans.length === 0 && options.goal === 'fit' && leastOf(context, slots)),
    ...(isUnsized(slots, options) && { isUnsized: true }),
  };
}

/** Nothing that the files take is longer, or larger. */
const isUnsized = (slots: readonly Slot[], { goal }: PlanOptions): boolean =>
  (goal === 'longest' || goal === 'largest') && !slots.some(({ remedy }) => remedy.towards?.goal === goal);

/** All that is offered at once, each as lean as it gets. */
function leastOf(context: RemedyContext, slots: readonly Slot[]): Pick<PlanSearch, 'least'> {
  const changes = slots.flatMap(({ leanest }) => leanest?.option.changes ?? []);
  const least = effectOf(context, changes).estimate?.devices[0];
  return least ? { least } : {};
}
