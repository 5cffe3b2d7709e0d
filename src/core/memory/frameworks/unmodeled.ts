import { compareReleases, releaseOf } from '../../spec/version';
import { usual } from './profile';
import type { ChosenOptimizer, FrameworkProfile } from './profile';

/* Frameworks with their own model code, which keeps other tensors for backward than transformers'. */

const ownCode: FrameworkProfile = { ...usual, models: 'not modeled' };

export const gptNeox: FrameworkProfile<'gpt-neox'> = { ...ownCode, id: 'gpt-neox' };
export const levanter: FrameworkProfile<'levanter'> = { ...ownCode, id: 'levanter' };
export const lingua: FrameworkProfile<'lingua'> = { ...ownCode, id: 'lingua' };
export const maxtext: FrameworkProfile<'maxtext'> = { ...ownCode, id: 'maxtext' };
export const nanotron: FrameworkProfile<'nanotron'> = { ...ownCode, id: 'nanotron' };
export const unsloth: FrameworkProfile<'unsloth'> = { ...ownCode, id: 'unsloth' };

/** Its own names (engine/trainer.py, build_optimizer); its SGD always has momentum. */
const OPTIMIZERS: Readonly<Record<string, ChosenOptimizer>> = {
  sgd: { name: 'sgd_momentum' },
  auto: {
    name: 'adamw',
    assumed: 'AdamW, which `optimizer: auto` takes for up to 10,000 steps (SGD beyond)',
  },
};

export const ultralytics: FrameworkProfile<'ultralytics'> = {
  ...usual,
  id: 'ultralytics',
  optimizer: name => OPTIMIZERS[name] ?? { name },
};

export const torchtune: FrameworkProfile<'torchtune'> = {
  ...usual,
  id: 'torchtune',
  // torchtune/modules/transformer.py: the same norms in fp32, projections, rotation and gated MLP.
  models: 'like transformers',
  // recipes/*_distributed.py: training.shard_model, without a setting that turns it off.
  sharding: 'always',
  loss: framework => {
    const release = releaseOf(framework, 'torchtune');
    // torchtune/modules/loss/ce_chunked_output_loss.py came with 0.3; before, transformer.py: `self.output(h).float()`.
    return release !== null && compareReleases(release, '0.3') >= 0 ? 'chunked_output' : 'shifted-fp32';
  },
  behavior: () => ({ ownModelCode: true, widensAdapters: 'never', fusesGelu: true }),
};
