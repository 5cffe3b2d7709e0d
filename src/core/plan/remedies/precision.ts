import type { Say } from '../../text/say';
import type { Remedy, RemedyOption } from '../remedy';
import { template } from '../../text/say';

/** Computes in 16 bits instead of fp32. */
export const precision: Remedy = {
  id: 'precision',
  label: template('the precision'),
  sources: [
    'Kalamkar et al., arXiv 1905.12322: bf16 matches fp32 without changes of hyperparameters',
    'Micikevicius et al., arXiv 1710.03740: fp16 with a loss scale matches fp32',
    'NVIDIA, Ampere whitepaper: twice the rate of TF32 on tensor cores',
  ],
  less: ({ run, target, say }) => {
    if (run.quantities.precision.value !== 'fp32') return [];
    const fp16 = option(
      say,
      'fp16-mixed',
      say('fp16 with loss scaling: the loss curve matches in practice'),
      2,
    );
    if (target?.gpu?.supports.bf16 !== true) return target?.gpu?.vendor === 'NVIDIA' ? [fp16] : [];
    return [option(say, 'bf16', say('bf16: the loss curve matches in practice'), 1), fp16];
  },
};

const option = (say: Say, to: string, quality: string, trade: number): RemedyOption => ({
  changes: [{ quantity: 'precision', to }],
  price: { time: 0.5, speed: say('about twice as fast: uses tensor cores'), quality, trade },
});
