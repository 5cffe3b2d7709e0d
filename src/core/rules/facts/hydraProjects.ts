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

/** What bites users of diffusion_policy; sources are files of real-stanford/diffusion_policy 5ba07ac. */
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
      message:
        '{training.use_ema} keeps a second copy of the weights on the device. It is not part of the optimizer states.',
      meaning: 'An exponential moving average is a copy of all parameters, updated after each step.',
      advice: 'If memory is short, turn it off, or move the copy to the CPU in the program.',
      source: 'real-stanford/diffusion_policy 5ba07ac workspace: copy.deepcopy(self.model)',
      example: POLICY,
      counterexample: POLICY.replace('use_ema: True', 'use_ema: False'),
    },
  ],
};

const PILE = `defaults:
  - _self_
  - trainer: gpu
trainer:
  _target_: lightning.pytorch.trainer.Trainer
  devices: 2
model:
  _name_: lm
data:
  batch_size: 32
`;

/** What bites users of safari; sources are files of HazyResearch/safari 02220c6. */
export const safariFacts: Facts = {
  dialects: ['hydra'],
  packs: ['safari'],
  facts: [
    {
      id: 'hydra-batch-from-memory-key',
      severity: 'information',
      summary: 'The batch size depends on a key with the GPU memory.',
      when: { stated: ['train.gpu_mem'] },
      at: ['train.gpu_mem'],
      message:
        '{train.gpu_mem} is not measured: expressions of this project choose the batch by it. Write what your GPU has.',
      meaning:
        'The project’s expressions compare this number with limits; a wrong one chooses a batch that does not fit.',
      advice: 'Set it to the memory of the GPU in GiB.',
      source: 'HazyResearch/safari 02220c6 configs/experiment/pile/base.yaml',
      example: `${PILE}train:\n  gpu_mem: 80\n`,
      counterexample: `${PILE}train:\n  seed: 1\n`,
    },
  ],
};
