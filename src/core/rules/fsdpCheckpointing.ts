import type { Rule } from './rule';
import { TRAINING_ARGUMENTS } from './dialectGroups';
import { on, when } from './when';

export const fsdpCheckpointing: Rule = {
  id: 'fsdp-checkpointing',
  severity: 'hint',
  summary: 'Under FSDP, `activation_checkpointing` is cheaper than `gradient_checkpointing`.',
  sources: ['transformers 5.18 training_args.py L2755; huggingface/transformers issue 30404'],
  dialects: TRAINING_ARGUMENTS,
  check: when([on('fsdp', 'gradient_checkpointing')], quote => ({
    at: ['gradient_checkpointing'],
    message:
      `Under FSDP ${quote('gradient_checkpointing')} gathers the weights once more in the backward pass. ` +
      'activation_checkpointing in fsdp_config saves the same memory without that.',
  })),
};
