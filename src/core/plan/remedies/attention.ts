import { lacksSdpa } from '../../memory/frameworks/behavior/attentionDefault';
import type { Remedy } from '../remedy';
import { template } from '../../text/say';

/** Attention that never writes the score matrix; the mathematics is the same. */
export const attention: Remedy = {
  id: 'attention-kernel',
  label: template('the attention kernel'),
  sources: [
    'Dao et al., arXiv 2205.14135',
    'memory formulas §4: eager keeps 5 to 8 × batch × heads × length² bytes a layer',
  ],
  less: ({ run, model, target, say }) => {
    const now = run.quantities.attention.value;
    const fast = { time: 0.8, speed: say('faster attention: scores stay in on-chip memory'), quality: null };
    if (now === 'eager') {
      if (lacksSdpa(run.framework, model?.modelType ?? '')) return [];
      return [{ changes: [{ quantity: 'attention', to: 'sdpa' }], sizes: [0.5], price: fast }];
    }
    // With padded rows SDPA falls back to a kernel that keeps a mask and repeated keys; flash attention does not.
    const padded = run.details.paddedRows?.value === true;
    if (now !== 'sdpa' || !padded || target?.gpu?.supports.flashAttention2 !== true) return [];
    return [
      {
        changes: [{ quantity: 'attention', to: 'flash_attention_2' }],
        sizes: [0.5],
        price: {
          time: 0.95,
          speed: say('faster attention'),
          requires: say('requires flash-attn'),
          quality: null,
        },
      },
    ];
  },
};
