import type { Facts } from '../fact';

const BASE = `trainer:
  accelerator: gpu
  devices: 2
model:
  class_path: a.Task
data:
  class_path: a.DataModule
`;

/** What only Lightning's CLI refuses; sources are files of Lightning-AI/pytorch-lightning 7f0c343. */
export const lightningCliFacts: Facts = {
  dialects: ['lightning-cli'],
  facts: [
    {
      id: 'lightning-device-misspelt',
      severity: 'warning',
      summary: 'The Trainer has no `device`: the key is `devices`.',
      when: { stated: ['trainer.device'], absent: ['trainer.devices'] },
      at: ['trainer.device'],
      message: "{trainer.device} isn't an argument of the Trainer, which rejects it: write devices.",
      meaning: 'The Trainer counts GPUs with `devices`; it has no argument `device`.',
      advice: 'Write `trainer.devices`.',
      source: 'pytorch/trainer/trainer.py L94-97',
      example: BASE.replace('devices: 2', 'device: 2'),
      counterexample: BASE,
    },
  ],
};
