import type { Remedy, RemedyOption } from '../remedy';

/** No config worth running reads less than this many tokens. */
const SHORTEST = 256;

/** Shorter sequences: a change of the task, so it comes last. */
export const sequenceLength: Remedy = {
  id: 'sequence-length',
  label: 'the sequence length',
  sources: ['memory formulas §4: activations and logits are linear in tokens'],
  less: ({ run }) => {
    const now = run.quantities.seqLen.value;
    const options: RemedyOption[] = [];
    for (let to = now === null ? 0 : now / 2; Number.isInteger(to) && to >= SHORTEST; to /= 2) {
      options.push({
        changes: [{ quantity: 'seqLen', to }],
        price: {
          time: 1,
          speed: null,
          quality: `shorter samples: what is beyond ${to} tokens is cut or dropped`,
        },
      });
    }
    return options.slice(0, 3);
  },
};
