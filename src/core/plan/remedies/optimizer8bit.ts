import type { Remedy, RemedyOption } from '../remedy';
import { template } from '../../text/say';
import type { Say } from '../../text/say';

/** Names of AdamW with two 32- or 16-bit states per trained parameter. */
const FULL_ADAMW = /^adamw(?:_hf|_torch|_torch_fused)?$/;

const TRAINER_ADAMW = /^adamw_(?:hf|torch|torch_fused)$/;

const paged = (say: Say): RemedyOption => ({
  changes: [{ quantity: 'optimizer', to: 'paged_adamw_32bit' }],
  price: {
    time: 1.15,
    speed: say('may be slower: pages optimizer states to host RAM'),
    quality: null,
  },
});

/** AdamW with both states in 8 bits, or in paged memory that the driver moves to the host under pressure. */
export const optimizer8bit: Remedy = {
  id: '8-bit-optimizer',
  label: template('the optimizer'),
  outsideSpeedModel: true,
  changesStates: true,
  sources: [
    'Dettmers et al., arXiv 2110.02861: 8-bit states match 32-bit ones on its tasks',
    'Dettmers et al., arXiv 2305.14314: paged states; at batch 16 as fast as others, with room to spare',
    'memory formulas §3',
  ],
  less: ({ run, say }) => {
    const now = run.quantities.optimizer.value;
    if (now === null || !FULL_ADAMW.test(now)) return [];
    // FSDP 2 refuses bitsandbytes states; torch's own 8-bit AdamW shards.
    const isFsdp2 = run.quantities.fsdp.value?.version === 2;
    const to = isFsdp2 ? 'adamw_torch_8bit' : 'adamw_bnb_8bit';
    return [
      // Only these names are of the Trainer, which also supports paged states.
      ...(TRAINER_ADAMW.test(now) && !isFsdp2 ? [paged(say)] : []),
      {
        changes: [{ quantity: 'optimizer', to }],
        price: {
          time: 1.02,
          speed: null,
          quality: say('8-bit optimizer states: the loss curve matches in practice'),
        },
      },
    ];
  },
};
