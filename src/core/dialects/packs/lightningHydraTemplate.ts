import type { Pack } from '../dialect';
import { dividedBy } from '../hydra/rules';

/**
 * The example that ashleve/lightning-hydra-template ships, whose data module divides its batch among all GPUs
 * (src/data/mnist_datamodule.py L116-123). Projects that start from the template replace these classes.
 */
export const lightningHydraTemplate: Pack = {
  id: 'lightning-hydra-template',
  project: 'ashleve/lightning-hydra-template bddbc24',
  extends: ['hydra'],
  evidence: { modules: ['src.data.mnist_datamodule', 'src.models.mnist_module'] },
  task: 'classification',
  quantities: dividedBy('data._target_', 'src.data.mnist_datamodule.MNISTDataModule', 'data.batch_size'),
};
