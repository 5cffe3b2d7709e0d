import { count, countOrNone } from '../engine/readers';
import type { Pack } from '../dialect';

/** Images of the Earth: allenai/rslearn. */
export const rslearn: Pack = {
  id: 'rslearn',
  project: 'allenai/rslearn',
  extends: ['lightning-cli'],
  evidence: { modules: ['rslearn'], keys: ['data.init_args.train_config'] },
  quantities: {
    microBatchSize: { keys: ['data.init_args.train_config.batch_size'], read: count },
    numWorkers: { keys: ['data.init_args.train_config.num_workers'], read: countOrNone },
  },
};
