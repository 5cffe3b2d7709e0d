import { isServed } from '../serving';
import type { Remedy, RemedyOption } from '../remedy';
import { template } from '../../text/say';

/** The shortest sequence length to propose. */
const SHORTEST = 256;

/** Lengths to try: steps of a quarter doubling, in whole kernel tiles, up to more than any model supports. */
const STEPS = Array.from({ length: 33 }, (_, i) => 2 ** ((i + 1) / 4));
const MULTIPLE = 64;
const MOST = 2 ** 20;

/** Shorter sequences: changes the task, so it comes last. Longer ones if that is the goal. */
export const sequenceLength: Remedy = {
  id: 'sequence-length',
  label: template('the sequence length'),
  changesTask: true,
  sources: ['memory formulas §4: activations and logits are linear in tokens'],
  less: ({ run, say }) => {
    const now = isServed(run) ? null : run.quantities.seqLen.value;
    const options: RemedyOption[] = [];
    for (let to = now === null ? 0 : now / 2; Number.isInteger(to) && to >= SHORTEST; to /= 2) {
      options.push({
        changes: [{ quantity: 'seqLen', to }],
        sizes: [to / (now ?? to)],
        price: {
          time: 1,
          speed: null,
          quality: say('truncates or drops samples longer than {0} tokens', to),
          trade: 4 * (options.length + 1),
        },
      });
    }
    return options.slice(0, 3);
  },
  towards: {
    goal: 'longest',
    options: ({ run, model }) => {
      const now = isServed(run) ? null : run.quantities.seqLen.value;
      if (now === null || now < 1) return [];
      const most = Math.min(model?.maxPositions ?? MOST, MOST);
      const lengths = STEPS.map(factor => Math.floor((now * factor) / MULTIPLE) * MULTIPLE);
      return lengths
        .filter(to => to > now && to <= most)
        .map(to => ({
          changes: [{ quantity: 'seqLen', to }],
          gain: to / now,
          sizes: [to / now],
          price: { time: 1, speed: null, quality: null },
        }));
    },
  },
};
