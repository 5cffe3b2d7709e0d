import type { Remedy } from '../remedy';

/** AdamW that holds two 32- or 16-bit states per trained parameter, under the names frameworks give it. */
const FULL_ADAMW = /^adamw(?:_hf|_torch|_torch_fused)?$/;

/** AdamW with both states in 8 bits. */
export const optimizer8bit: Remedy = {
  id: '8-bit-optimizer',
  label: 'the optimizer',
  sources: [
    'Dettmers et al., arXiv 2110.02861: 8-bit states match 32-bit ones on its tasks',
    'memory formulas §3',
  ],
  less: ({ run }) => {
    const now = run.quantities.optimizer.value;
    if (now === null || !FULL_ADAMW.test(now)) return [];
    // FSDP 2 refuses bitsandbytes states; torch's own 8-bit AdamW shards.
    const to = run.quantities.fsdp.value?.version === 2 ? 'adamw_torch_8bit' : 'adamw_bnb_8bit';
    return [
      {
        changes: [{ quantity: 'optimizer', to }],
        price: {
          time: 1.02,
          speed: null,
          quality: '8-bit optimizer states: the loss curve matches in practice',
        },
      },
    ];
  },
};
