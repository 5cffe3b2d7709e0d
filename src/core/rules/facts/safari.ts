import { template } from '../../text/say';
import type { Facts } from '../fact';

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

/** Pitfalls of safari; sources are files of HazyResearch/safari 02220c6. */
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
      message: template(
        '{train.gpu_mem} is not measured: expressions of safari choose the batch by it. Write what your GPU has.',
      ),
      meaning:
        'The project’s expressions compare this number with limits. A wrong number selects a batch that does not fit.',
      advice: 'Set it to the memory of the GPU in GiB.',
      source: 'HazyResearch/safari 02220c6 configs/experiment/pile/base.yaml',
      example: `${PILE}train:\n  gpu_mem: 80\n`,
      counterexample: `${PILE}train:\n  seed: 1\n`,
    },
  ],
};
