import type { FrameworkProfile } from './profile';
import { usual } from './usual';

/** Scripts on transformers' Trainer, whose accelerate copies a model's 16-bit outputs to fp32 (convert_outputs_to_fp32). */
export const transformers: FrameworkProfile<'transformers'> = {
  ...usual,
  id: 'transformers',
  behavior: () => ({ copiesOutputs: true }),
};
