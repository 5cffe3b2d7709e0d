import type { Remedy, RemedyOption } from '../remedy';
import { template } from '../../text/say';

/** Keeps optimizer states in host RAM, and then the weights, too (DeepSpeed ZeRO-Offload). */
export const offload: Remedy = {
  id: 'offload',
  label: template('offloading to host RAM'),
  outsideSpeedModel: true,
  sources: [
    'Ren et al., arXiv 2101.06840 (ZeRO-Offload): 30 % to 40 % of the rate of a GPU that holds everything, on one GPU',
    'Rajbhandari et al., arXiv 2104.07857 (ZeRO-Infinity): parameters, with stage 3 only',
  ],
  less: ({ run, say }) => {
    const { zeroStage, offload: now } = run.quantities;
    const stage = zeroStage.value ?? 0;
    if (stage === 0 || (now.value?.param ?? 'none') !== 'none') return [];
    const options: RemedyOption[] = [];
    if ((now.value?.optimizer ?? 'none') === 'none') {
      options.push({
        changes: [{ quantity: 'offload', to: { param: 'none', optimizer: 'cpu' } }],
        price: {
          time: 2,
          speed: say('about half the speed: the CPU runs the optimizer step'),
          quality: null,
        },
      });
    }
    if (stage === 3) {
      options.push({
        changes: [{ quantity: 'offload', to: { param: 'cpu', optimizer: 'cpu' } }],
        price: { time: 3, speed: say('about a third of the speed: weights move over PCIe'), quality: null },
      });
    }
    return options;
  },
};
