import { editsFor } from '../../dialects/write';
import type { RunSpec } from '../../spec/runSpec';
import type { Remedy, RemedyOption } from '../remedy';
import type { Say } from '../../text/say';
import { template } from '../../text/say';

/**
 * Keeps only each layer's input and recomputes the rest in the backward pass, or only what is cheap to recompute.
 */
export const gradientCheckpointing: Remedy = {
  id: 'gradient-checkpointing',
  label: template('gradient checkpointing'),
  sources: [
    'Chen et al., arXiv 1604.06174: one extra forward pass, about 30 % of a step',
    'Korthikanti et al., arXiv 2205.05198: selective recomputation takes less than a tenth of that',
    'training-memory guide: "saves ~75 %" of activation memory for compute',
  ],
  less: ({ run, say }) =>
    run.quantities.gradientCheckpointing.value === false ? [...selective(say, run), whole(say)] : [],
  more: ({ run, say }) => (run.quantities.gradientCheckpointing.value === true ? [none(say)] : []),
};

const whole = (say: Say): RemedyOption => ({
  changes: [{ quantity: 'gradientCheckpointing', to: true }],
  sizes: [0],
  price: {
    time: 1.3,
    speed: say('about a third slower: the forward pass of every layer runs twice'),
    quality: null,
  },
});

const none = (say: Say): RemedyOption => ({
  changes: [{ quantity: 'gradientCheckpointing', to: false }],
  sizes: [2],
  price: { time: 1 / 1.3, speed: say('about a quarter faster: no recomputation'), quality: null },
});

/** Only if the framework supports selective checkpointing. */
function selective(say: Say, run: RunSpec): readonly RemedyOption[] {
  const change = { detail: 'selectiveCheckpointing', to: 'operations' } as const;
  const written = editsFor(run, [change]);
  if (!written.ok || written.edits.length === 0) return [];
  const speed = say('slightly slower: recomputes the attention scores');
  return [{ changes: [change], sizes: [0.5], price: { time: 1.04, speed, quality: null } }];
}
