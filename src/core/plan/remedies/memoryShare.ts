import { isServed } from '../serving';
import type { Remedy, RemedyOption } from '../remedy';
import type { Say } from '../../text/say';
import { template } from '../../text/say';

/** Common shares, largest first; a larger one leaves nothing for graphs and variation. */
const SHARES = [0.95, 0.92, 0.9, 0.85, 0.8, 0.75, 0.7, 0.65, 0.6];

/** A serving engine's share of the GPU: less leaves room for others, more holds longer or more requests. */
export const memoryShare: Remedy = {
  id: 'memory-share',
  label: template("the engine's share of the GPU"),
  sources: [
    'vLLM docs, "Conserving Memory" and "Optimization and Tuning": gpu_memory_utilization decides the room for keys and values',
    'SGLang docs, hyperparameter tuning: mem-fraction-static lower where memory runs out',
  ],
  less: ({ run, estimate, say }) => {
    const now = run.details.memoryShare?.value ?? null;
    if (!isServed(run) || now === null) return [];
    const more = estimate?.devices[0]?.verdict === 'exceeds' ? SHARES.filter(share => share > now) : [];
    const holdsNone = (estimate?.devices[0]?.served?.sequences ?? 1) < 1;
    const less = holdsNone ? [] : SHARES.filter(share => share < now);
    return [...less.map((to, i) => lower(say, to, i + 1)), ...more.toReversed().map(to => higher(say, to))];
  },
};

const lower = (say: Say, to: number, step: number): RemedyOption => ({
  changes: [{ detail: 'memoryShare', to }],
  price: { time: 1 + 0.03 * step, speed: say('fewer concurrent requests'), quality: null },
});

const higher = (say: Say, to: number): RemedyOption => ({
  changes: [{ detail: 'memoryShare', to }],
  price: { time: 1.01, speed: say('other programs cannot use that part of the GPU'), quality: null },
});
