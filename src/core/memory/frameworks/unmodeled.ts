import { usual } from './profile';
import type { ChosenOptimizer, FrameworkProfile } from './profile';

/* Frameworks with their own model code, which keeps other tensors for backward than transformers'. */

/** jax.readthedocs.io, installation: CUDA, ROCm and TPU. */
const JAX: FrameworkProfile['makers'] = ['NVIDIA', 'AMD', 'other'];
/** Kernels in CUDA, which ROCm's compiler also takes. */
const CUDA: FrameworkProfile['makers'] = ['NVIDIA', 'AMD'];

const ownCode: FrameworkProfile = { ...usual, models: 'not modeled' };

export const gptNeox: FrameworkProfile<'gpt-neox'> = { ...ownCode, id: 'gpt-neox', makers: CUDA };
export const levanter: FrameworkProfile<'levanter'> = { ...ownCode, id: 'levanter', makers: JAX };
export const lingua: FrameworkProfile<'lingua'> = { ...ownCode, id: 'lingua', makers: CUDA };
export const maxtext: FrameworkProfile<'maxtext'> = { ...ownCode, id: 'maxtext', makers: JAX };
export const nanotron: FrameworkProfile<'nanotron'> = { ...ownCode, id: 'nanotron', makers: CUDA };

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
