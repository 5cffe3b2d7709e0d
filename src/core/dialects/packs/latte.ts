import type { Pack } from '../dialect';
import { count } from '../engine/readers';

/** Videos by a transformer: Vchitect/Latte. */
export const latte: Pack = {
  id: 'latte',
  project: 'Vchitect/Latte',
  extends: ['accelerate-diffusion'],
  evidence: { keys: ['local_batch_size'] },
  signature: { strong: ['local_batch_size'], medium: ['num_sampling_steps'] },
  quantities: {
    microBatchSize: { keys: ['local_batch_size'], read: count },
  },
  help: {
    local_batch_size: {
      text: 'Clips of one forward pass on each GPU: activations grow with them in proportion.',
    },
  },
};
