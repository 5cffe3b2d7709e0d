import type { FrameworkProfile } from './profile';
import { usual } from './usual';

/** Trainers on transformers' Trainer; disable_dropout_in_model; ppo_trainer.py of 0.12: `logits /= temperature`. */
export const trl: FrameworkProfile<'trl'> = {
  ...usual,
  id: 'trl',
  silencesDropout: true,
  distills: true,
  ppoLogits: 'in place',
  behavior: () => ({ copiesOutputs: true }),
};
