import { rolloutRoom } from '../../memory/estimateRun';
import { isServed } from '../serving';
import type { Remedy, RemedyContext, RemedyOption } from '../remedy';
import type { Say } from '../../text/say';
import { template } from '../../text/say';

/** Shares in twentieths, largest first. */
const SHARES = Array.from({ length: 18 }, (_, i) => (18 - i) / 20);

/**
 * An engine that writes completions on the GPUs that train: it sleeps while training runs, or takes a smaller share that
 * still holds one completion.
 */
export const engineShare: Remedy = {
  id: 'engine-share',
  label: template('the share of the engine next to training'),
  outsideSpeedModel: true,
  sources: [
    'TRL docs, "Speeding Up Training", vLLM sleep mode: frees GPU memory between generations, and wakes up slower',
    'vLLM docs, "Sleep Mode": level 1 keeps the weights on the host, level 2 drops them',
    'verl docs, performance tuning: a larger gpu_memory_utilization generates faster',
  ],
  less: context => {
    const share = context.run.details.memoryShare?.value ?? null;
    if (isServed(context.run) || context.run.quantities.task.value === 'infer') return [];
    if (share === null || share <= 0) return [];
    const starts = SHARES.filter(one => one < share && holdsOne(context, one));
    const sleeps = context.run.details.engineSleeps?.value === true;
    return [
      ...(sleeps ? [] : [asleep(context.say)]),
      ...starts.map((to, i) => lower(context.say, to, i + 1)),
    ];
  },
};

/** True if the engine starts with this share, and holds a completion. */
function holdsOne({ run, model, target, memory }: RemedyContext, share: number): boolean {
  const served = rolloutRoom(run, model, target, memory, share);
  return served !== null && served.refusal === null && served.sequences >= 1;
}

const asleep = (say: Say): RemedyOption => ({
  changes: [{ detail: 'engineSleeps', to: true }],
  price: {
    time: 1.05,
    speed: say('slower: the engine wakes up for each batch of completions'),
    quality: null,
  },
});

const lower = (say: Say, to: number, step: number): RemedyOption => ({
  changes: [{ detail: 'memoryShare', to }],
  price: { time: 1.02 + 0.02 * step, speed: say('fewer completions at once'), quality: null },
});
