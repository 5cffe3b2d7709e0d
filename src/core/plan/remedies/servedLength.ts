import { servedPositions } from '../../models/servedPositions';
import { roundedLength } from '../../rules/serverStart';
import { isServed } from '../serving';
import type { Remedy, RemedyContext, RemedyOption } from '../remedy';
import type { Say } from '../../text/say';
import { template } from '../../text/say';

/** Shorter lengths cannot hold a conversation. */
const SHORTEST = 1024;
const MOST = 6;

/** The longest request of a serving engine: the cache has to hold at least one. */
export const servedLength: Remedy = {
  id: 'served-length',
  label: template('the longest request'),
  changesTask: true,
  sources: ['vLLM docs, "Conserving Memory": max_model_len; what an engine says when its cache is too small'],
  less: context => {
    const now = promised(context);
    const lengths: number[] = [];
    for (let to = now / 2; Number.isInteger(to) && to >= SHORTEST; to /= 2) lengths.push(to);
    const held = heldNow(context);
    const all = [...new Set([...(held >= SHORTEST && held < now ? [held] : []), ...lengths.slice(0, MOST)])];
    return all.toSorted((a, b) => b - a).map(to => upTo(context.say, to));
  },
  towards: {
    goal: 'longest',
    options: context => {
      const now = promised(context);
      const most = context.model ? (servedPositions(context.model) ?? 0) : 0;
      const options: RemedyOption[] = [];
      for (let to = now * 2; now > 0 && to <= most; to *= 2) {
        const price = { time: 1, speed: null, quality: null };
        options.push({ changes: [{ quantity: 'seqLen', to }], gain: to / now, price });
      }
      return options;
    },
  },
};

function upTo(say: Say, to: number): RemedyOption {
  const quality = say('refuses requests longer than {0} tokens', to);
  return { changes: [{ quantity: 'seqLen', to }], price: { time: 1, speed: null, quality } };
}

/** The longest request that the cache surely holds now, in pages that people write; 0: none. */
const heldNow = ({ estimate }: RemedyContext): number =>
  roundedLength(estimate?.devices[0]?.served?.surely ?? 0);

/** The stated length, else the model's; 0: not an engine, or unknown. */
const promised = ({ run, model }: RemedyContext): number =>
  isServed(run) ? (run.quantities.seqLen.value ?? (model && servedPositions(model)) ?? 0) : 0;
