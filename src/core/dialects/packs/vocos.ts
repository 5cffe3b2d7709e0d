import { count, countOrNone } from '../engine/readers';
import type { Pack } from '../dialect';

/** Waveforms from features: gemelo-ai/vocos. */
export const vocos: Pack = {
  id: 'vocos',
  project: 'gemelo-ai/vocos',
  extends: ['lightning-cli', 'hydra'],
  evidence: { modules: ['vocos'] },
  task: 'vocoder_gan',
  quantities: {
    microBatchSize: { keys: ['data.init_args.train_params.batch_size'], read: count },
    evalBatchSize: { keys: ['data.init_args.val_params.batch_size'], read: count },
    seqLen: { keys: ['data.init_args.train_params.num_samples'], read: count },
    numWorkers: { keys: ['data.init_args.train_params.num_workers'], read: countOrNone },
  },
};
