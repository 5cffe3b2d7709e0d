import { adviceFor } from './advice';
import { contextOnFewerGpus, gpusNow, planOnGpus } from './gpuCounts';
import { NO_PLANS } from './plan';
import type { PlanSearch } from './plan';
import type { RemedyContext } from './remedy';

export type Search = (context: RemedyContext) => Promise<PlanSearch>;

/**
 * Plans for the smallest number of GPUs that has one. The effective batch size stays, so each GPU takes more steps.
 */
export async function searchFewest(context: RemedyContext, search: Search): Promise<PlanSearch> {
  const { say } = context;
  const now = gpusNow(context);
  let tried = 0;
  const rejected: { remedy: string; why: string }[] = [];
  for (let gpus = 1; gpus < now; gpus++) {
    const fewer = contextOnFewerGpus(context, gpus);
    if (typeof fewer === 'string') {
      rejected.push({ remedy: say('{0} of {1} GPUs', gpus, now), why: fewer });
      continue;
    }
    const found = await search(fewer.context);
    tried += found.tried;
    if (found.plans.length > 0) {
      const plans = found.plans.flatMap(plan => planOnGpus(context, plan, fewer) ?? []);
      const advice = adviceFor(fewer.context, gpus);
      return { plans, tried, rejected: [...rejected, ...found.rejected], advice };
    }
    rejected.push({ remedy: say('{0} of {1} GPUs', gpus, now), why: say('nothing makes it fit there') });
  }
  if (now === 1) rejected.push({ remedy: say('the number of GPUs'), why: say('the run has only one') });
  return { ...NO_PLANS, tried, rejected };
}
