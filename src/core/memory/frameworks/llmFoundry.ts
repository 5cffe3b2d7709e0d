import type { FrameworkProfile } from './profile';
import { usual } from './profile';

/** models/mpt/modeling_mpt.py, ComposerMPTCausalLM: labels are rolled, and logits stay in the precision of the model. */
export const llmFoundry: FrameworkProfile<'llm-foundry'> = {
  ...usual,
  id: 'llm-foundry',
  makers: ['NVIDIA', 'AMD'],
  behavior: ({ modelType, loss }) =>
    modelType === 'mpt-foundry'
      ? {
          ownModelCode: true,
          loss: {
            kind: 'cross-entropy',
            shift: 'labels',
            upcast: 'never',
            // flash_attn/losses/cross_entropy.py keeps the logits and their log-sum-exp.
            kernel: loss === 'torch_crossentropy' ? 'torch' : 'compiled',
          },
        }
      : {},
};
