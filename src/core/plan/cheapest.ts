import type { Search } from './fewest';
import { contextOnFewerGpus, gpusNow, planOnGpus } from './gpuCounts';
import { NO_PLANS } from './plan';
import type { Plan, PlanSearch, PlanTime } from './plan';
import { timeRatio } from './planTime';
import { reasons } from './reasons';
import type { RemedyContext } from './remedy';
import { commas } from '../text/lists';
import type { Say } from '../text/say';

/** Plans cost the same if they differ by less: the speed model can't tell. */
const DISTINCT = 0.02;

const MOST_PLANS = 5;

/**
 * Plans by what the run costs with them, on all GPUs and on fewer. Each hour of a GPU costs the same, so GPU time per token or
 * sample decides, and prices need not be known.
 */
export async function searchCheapest(context: RemedyContext, search: Search): Promise<PlanSearch> {
  const { say } = context;
  const now = gpusNow(context);
  const here = await search(context);
  const found: Plan[] = [...here.plans];
  const rejected = [...here.rejected];
  let { tried } = here;
  for (const gpus of divisors(now)) {
    const fewer = contextOnFewerGpus(context, gpus);
    if (typeof fewer === 'string') {
      rejected.push({ remedy: say('{0} of {1} GPUs', gpus, now), why: fewer });
      continue;
    }
    const there = await search(fewer.context);
    tried += there.tried;
    found.push(...there.plans.flatMap(plan => planOnGpus(context, plan, fewer) ?? []));
  }
  const plans = cheaper(found, context);
  const isUntimed = found.some(({ time }) => !time);
  if (isUntimed) rejected.push({ remedy: say('cost'), why: say('the time of the run is unknown') });
  return { ...NO_PLANS, plans: reasons(say, plans, 'cheapest'), tried, rejected, advice: here.advice };
}

/** Cost for the same work with a plan, relative to the run before it. */
export const costRatio = (time: PlanTime): number => (timeRatio(time) * time.is.gpus) / time.was.gpus;

/** The cheapest first. A run that does not fit has no cost to be below. */
function cheaper(plans: readonly Plan[], { estimate, say }: RemedyContext): readonly Plan[] {
  const most = estimate?.devices[0]?.verdict === 'exceeds' ? Infinity : 1 - DISTINCT;
  return plans
    .flatMap(plan => (plan.time ? [{ plan, ratio: costRatio(plan.time) }] : []))
    .filter(({ ratio }) => ratio < most)
    .toSorted((a, b) => stepOf(a.ratio) - stepOf(b.ratio))
    .slice(0, MOST_PLANS)
    .map(({ plan, ratio }) => ({ ...plan, effect: commas(say, [plan.effect, costText(say, ratio)]) }));
}

const stepOf = (ratio: number): number => Math.round(ratio / DISTINCT);

function costText(say: Say, ratio: number): string {
  const share = Math.round(Math.abs(1 - ratio) * 100);
  if (share === 0) return say('costs the same');
  return ratio < 1 ? say('costs about {0} % less', share) : say('costs about {0} % more', share);
}

/** Numbers of GPUs that share the work evenly, fewer than all of them, the largest first. */
const divisors = (all: number): readonly number[] =>
  Array.from({ length: all - 1 }, (_, i) => all - 1 - i).filter(gpus => all % gpus === 0);
