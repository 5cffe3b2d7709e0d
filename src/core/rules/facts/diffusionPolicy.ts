import { template } from '../../text/say';
import type { Facts } from '../fact';

const POLICY = `defaults:
  - _self_
  - task: lift
policy:
  _target_: diffusion_policy.policy.DiffusionTransformerHybridImagePolicy
dataloader:
  batch_size: 64
training:
  device: "cuda:0"
  use_ema: True
`;

/** Pitfalls of diffusion_policy; sources are files of real-stanford/diffusion_policy 5ba07ac. */
export const diffusionPolicyFacts: Facts = {
  dialects: ['hydra'],
  packs: ['diffusion-policy'],
  facts: [
    {
      id: 'hydra-weights-averaged',
      severity: 'information',
      summary: 'The run keeps an average of the weights in memory.',
      when: { on: ['training.use_ema'] },
      at: ['training.use_ema'],
      message: template(
        'With {training.use_ema}, diffusion_policy keeps a second copy of the weights on the device. It is not part of the optimizer states.',
      ),
      meaning: 'An exponential moving average is a copy of all parameters, updated after each step.',
      advice: 'If memory is short, turn it off, or move the copy to the CPU in the program.',
      source: 'real-stanford/diffusion_policy 5ba07ac workspace: copy.deepcopy(self.model)',
      example: POLICY,
      counterexample: POLICY.replace('use_ema: True', 'use_ema: False'),
    },
  ],
};
