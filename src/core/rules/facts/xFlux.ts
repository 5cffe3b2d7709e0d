import { template } from '../../text/say';
import type { Facts } from '../fact';

const FLUX =
  'model_name: flux-dev\ndata_config:\n  train_batch_size: 1\n  img_size: 512\nmax_train_steps: 1000\nmixed_precision: bf16\n';

/** Sources are files of XLabs-AI/x-flux 4749542. */
export const xFluxFacts: Facts = {
  dialects: ['accelerate-diffusion'],
  packs: ['x-flux'],
  facts: [
    {
      id: 'x-flux-idle-batch',
      severity: 'information',
      summary: 'The batch at the root of an x-flux config is only printed.',
      when: { stated: ['train_batch_size', 'data_config.train_batch_size'] },
      at: ['train_batch_size'],
      message: template(
        '{train_batch_size} is only printed: the loader takes {data_config.train_batch_size}.',
      ),
      meaning: 'Two keys have the same name, and the loader reads the one in `data_config`.',
      advice: 'Change `data_config.train_batch_size`, and keep the other the same.',
      source: 'train_flux_lora_deepspeed.py: loader(**args.data_config)',
      example: `${FLUX}train_batch_size: 4\n`,
      counterexample: FLUX,
    },
  ],
};
