import type { FrameworkProfile } from './profile';
import { usual } from './usual';

/** Example scripts hold frozen weights in the compute dtype and trained ones in fp32 (`weight_dtype`, cast_training_params). */
export const diffusers: FrameworkProfile<'diffusers'> = {
  ...usual,
  id: 'diffusers',
  weights: 'fp32 where trained',
};
