import { modelOfRun } from './modelSizes';
import { effectOf } from './effect';
import type { Plan, PlanTime } from './plan';
import { effectText, sharedFiles } from './price';
import { remedies } from './remedies/registry';
import type { RemedyContext } from './remedy';
import { hasSpeed, runSpeed } from './speed';
import type { TimedRun } from './speed';
import type { Speed, SpeedResult } from '../speed/speed';

/** Plans with the time of each, in the same order. */
export function withTimes(context: RemedyContext, plans: readonly Plan[]): readonly Plan[] {
  const before = plans.length > 0 ? timesOf(context) : null;
  return before === null ? plans : plans.map(plan => withTime(context, plan, before));
}

const uncounted = new Set(remedies.filter(({ outsideSpeedModel }) => outsideSpeedModel).map(({ id }) => id));

function withTime(context: RemedyContext, plan: Plan, before: Times): Plan {
  if (plan.id.split('+').some(id => uncounted.has(id))) return plan;
  const effect = effectOf(context, plan.changes);
  const { run, estimate } = effect;
  const after = timesOf({ ...context, run, estimate, model: modelOfRun(context, run) });
  if (after === null) return plan;
  // What was computed replaces what is usual.
  const price = { ...plan.price, speed: null };
  const text = effectText(context, effect, price, sharedFiles(context, plan.edits));
  return { ...plan, effect: text, time: between(before, after) };
}

/** The times with another run before the plan: the plan was found for a run on fewer GPUs, for example. */
export function timesSince(context: RemedyContext, { time }: Plan): PlanTime | null {
  const before = timesOf(context);
  return time && before ? between(before, { real: time.isRatioOnly ? null : time.is, full: time.is }) : null;
}

/** Time per token or sample with a plan, relative to the run before it. */
export const timeRatio = ({ was, is }: PlanTime): number => eachOf(is) / eachOf(was);

const eachOf = ({ secondsPerStep, perStep }: Speed): number => secondsPerStep.expected / perStep;

/** The speed of a run. */
interface Times {
  /** Null where only the data tell how long rows are. */
  readonly real: Speed | null;
  /** With rows as long as the estimate has them. */
  readonly full: Speed;
}

/** Null for a run whose time is unknown for other reasons than its rows. */
function timesOf(context: RemedyContext): Times | null {
  const { run, model, target, estimate, data = null, memory } = context;
  const timed: TimedRun = { run, model, target, estimate, data };
  if (!hasSpeed(timed)) return null;
  const real = known(runSpeed(timed, memory, 'counted'));
  const full = real ?? known(runSpeed(timed, memory, 'full'));
  return full && { real, full };
}

const known = (speed: SpeedResult): Speed | null => (speed.ok ? speed : null);

/** What one config processes in a step, the other may not: hours compare only for the same steps. */
function between(before: Times, after: Times): PlanTime {
  const { real: was } = before;
  const { real: is } = after;
  return was && is
    ? { was, is, isRatioOnly: was.perStep !== is.perStep }
    : { was: before.full, is: after.full, isRatioOnly: true };
}
