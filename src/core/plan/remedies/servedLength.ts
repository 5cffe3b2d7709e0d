import { isServed } from '../serving';
import type { Remedy, RemedyContext, RemedyOption } from '../remedy';

/** Who serves less serves no conversation. */
const SHORTEST = 1024;
const MOST = 6;

/** The longest request that a serving engine promises: the cache has to hold one of them. */
export const servedLength: Remedy = {
  id: 'served-length',
  label: 'the longest request',
  changesTask: true,
  sources: ['vLLM docs, "Conserving Memory": max_model_len; what an engine says when its cache is too small'],
  less: context => {
    const now = promised(context);
    const options: RemedyOption[] = [];
    for (let to = now / 2; Number.isInteger(to) && to >= SHORTEST; to /= 2) {
      const quality = `refuses requests longer than ${to} tokens`;
      options.push({
        changes: [{ quantity: 'seqLen', to }],
        price: { time: 1, speed: null, quality },
      });
    }
    return options.slice(0, MOST);
  },
  towards: {
    goal: 'longest',
    options: context => {
      const now = promised(context);
      const most = context.model?.maxPositions ?? 0;
      const options: RemedyOption[] = [];
      for (let to = now * 2; now > 0 && to <= most; to *= 2) {
        const price = { time: 1, speed: null, quality: null };
        options.push({ changes: [{ quantity: 'seqLen', to }], gain: to / now, price });
      }
      return options;
    },
  },
};

/** What is written, else what the model was made for; 0: no engine, or not known. */
const promised = ({ run, model }: RemedyContext): number =>
  isServed(run) ? (run.quantities.seqLen.value ?? model?.maxPositions ?? 0) : 0;
