import type { Pack } from '../dialect';
import { count, countOrNone } from '../engine/readers';
import { pixels } from '../shared/vision';

/** FLUX and its adapters: XLabs-AI/x-flux. */
export const xFlux: Pack = {
  id: 'x-flux',
  project: 'XLabs-AI/x-flux 4749542',
  extends: ['accelerate-diffusion'],
  evidence: { keys: ['data_config'] },
  signature: { strong: ['data_config.train_batch_size'] },
  quantities: {
    microBatchSize: { keys: ['data_config.train_batch_size'], read: count },
    imageSize: { keys: ['data_config.img_size'], read: pixels('hw') },
    numWorkers: { keys: ['data_config.num_workers'], read: countOrNone },
  },
  help: {
    'data_config.train_batch_size': {
      text: 'Images of one forward pass on each GPU: activations grow with them in proportion.',
    },
    'data_config.img_size': { text: 'Side of images in pixels: tokens grow with its square.' },
  },
};
