import type { Facts } from '../fact';

const BASE = `defaults:
  - _self_
  - data: mnist
  - trainer: gpu
trainer:
  _target_: lightning.pytorch.trainer.Trainer
  devices: 2
data:
  batch_size: 32
`;

const POLICY = `defaults:
  - _self_
  - task: lift
dataloader:
  batch_size: 64
training:
  device: "cuda:0"
  use_ema: True
`;

/** What bites users of Hydra projects; sources are files of facebookresearch/hydra 1.3 and of the projects named. */
export const hydraFacts: Facts = {
  dialects: ['hydra'],
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
      example: `${BASE}train:\n  gpu_mem: 80\n`,
      counterexample: `${BASE}train:\n  seed: 1\n`,
    },
  ],
};
