import type { ChosenOptimizer, FrameworkProfile } from './profile';
import { usual } from './usual';

/** Its own names (engine/trainer.py, build_optimizer): its SGD always has momentum. */
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
