import type { Remedy } from '../remedy';
import { template } from '../../text/say';

/** Liger's fused linear cross entropy: computes logits in chunks, never all at once. */
export const fusedLoss: Remedy = {
  id: 'fused-loss',
  label: template('the loss kernel'),
  sources: [
    'Hsu et al., arXiv 2410.10989',
    'memory formulas §6: 6 bytes a logit less than a fused cross entropy on whole logits',
  ],
  less: ({ run, model, say }) => {
    const trains = run.quantities.task.value !== 'infer';
    if (!trains || model?.kind !== 'decoder' || run.quantities.loss.value === 'liger') return [];
    return [
      {
        changes: [{ quantity: 'loss', to: 'liger' }],
        price: {
          time: 0.95,
          speed: say('faster loss'),
          requires: say('requires liger-kernel'),
          quality: null,
        },
      },
    ];
  },
};
