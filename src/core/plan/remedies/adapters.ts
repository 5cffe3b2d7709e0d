import type { Method } from '../../spec/values';
import { startsFromScratch } from '../modelSizes';
import type { Remedy, RemedyOption } from '../remedy';
import type { Say } from '../../text/say';
import { template } from '../../text/say';

/** Trains adapters on frozen weights instead of all weights: only the adapters have gradients and states. */
export const adapters: Remedy = {
  id: 'adapters',
  label: template('adapters instead of all weights'),
  changesTask: true,
  sources: [
    'Hu et al., arXiv 2106.09685: no gradients and states of the frozen weights',
    'Biderman et al., arXiv 2405.09673 (LoRA learns less and forgets less)',
    'Dettmers et al., arXiv 2305.14314: adapters on a base in 4 bits',
  ],
  less: ({ run, model, say }) => {
    const { method, task, quantization } = run.quantities;
    const isDecoder = model?.kind === 'decoder' || model?.kind === 'vision-language';
    if (method.value !== 'full' || !isDecoder || quantization.value !== null) return [];
    if (task.value === null || startsFromScratch(run)) return [];
    return [
      option(
        say,
        'lora',
        1,
        say('trains adapters only: they learn less and need about ten times the learning rate'),
        8,
      ),
      option(
        say,
        'qlora',
        1.35,
        say('trains adapters on 4-bit weights: they learn less and need about ten times the learning rate'),
        10,
      ),
    ];
  },
};

const option = (say: Say, to: Method, time: number, quality: string, trade: number): RemedyOption => ({
  changes: [{ quantity: 'method', to }],
  price: {
    time,
    speed: time > 1 ? say('about a third slower: dequantizes weights for every product') : null,
    quality,
    trade,
  },
});
