import { count } from '../engine/readers';
import type { Pack } from '../dialect';
import { dividedBy } from '../hydra/rules';

/** Forecasts of time series: SalesforceAIResearch/uni2ts, whose data loader divides its batch (cli/train.py L99-102). */
export const uni2ts: Pack = {
  id: 'uni2ts',
  project: 'SalesforceAIResearch/uni2ts 8d2a08d',
  extends: ['hydra'],
  evidence: { modules: ['uni2ts'], keys: ['train_dataloader.batch_size_factor'] },
  task: 'forecasting',
  quantities: {
    ...dividedBy('train_dataloader._target_', 'uni2ts.data.loader.DataLoader', 'train_dataloader.batch_size'),
    seqLen: { keys: ['model.module_kwargs.max_seq_len'], read: count },
  },
};
