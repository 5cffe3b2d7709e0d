import type { KeyHelp } from '../dialect';
import { trainerHelp } from '../lightningCli/help';

/** What the usual keys of Hydra projects do to memory. */
export const hydraHelp: Readonly<Record<string, KeyHelp>> = {
  ...trainerHelp('trainer'),
  defaults: {
    text: 'Files that this config is composed of, the later over the earlier; `_self_` is where its own keys come in.',
  },
  'data.batch_size': {
    text: 'Samples of a batch: of one GPU unless the data module divides them.',
  },
  'data.num_workers': {
    text: 'Processes that load data, for each GPU: they take memory of the machine, not of the GPU.',
  },
  'model._target_': { text: 'Class of the module: its parameters, gradients and optimizer states.' },
  'model.optimizer._target_': {
    text: 'Class of the optimizer. Adam and AdamW keep two fp32 states a parameter, SGD with momentum one.',
  },
  'model.compile': {
    text: 'torch.compile of the network. Fused kernels keep less for backward.',
    values: ['true', 'false'],
  },
};
