import { template } from '../../text/say';
import type { Facts } from '../fact';

const job = (train: string, dataset = ''): string => `job: extension
config:
  name: lora
  process:
    - type: sd_trainer
      device: cuda:0
      network:
        type: lora
        linear: 16
      datasets:
        - folder_path: images
          resolution: [512]
${dataset}      train:
        batch_size: 1
        dtype: bf16
${train}      model:
        name_or_path: black-forest-labs/FLUX.1-dev
`;

/** Pitfalls of ai-toolkit; sources are lines of ostris/ai-toolkit 27a03a9. */
export const aiToolkitFacts: Facts = {
  dialects: ['ai-toolkit'],
  facts: [
    {
      id: 'ai-toolkit-two-accumulations',
      severity: 'error',
      summary: 'Both names of gradient accumulation are set.',
      when: {
        above: {
          'config.process[0].train.gradient_accumulation_steps': 1,
          'config.process[0].train.gradient_accumulation': 1,
        },
      },
      at: ['config.process[0].train.gradient_accumulation'],
      message: template(
        '{config.process[0].train.gradient_accumulation} and {config.process[0].train.gradient_accumulation_steps} are both set. The job raises a ValueError because both mean the same.',
      ),
      meaning: '`gradient_accumulation` is the newer name. The value −1 accumulates a whole epoch.',
      advice: 'Remove one of the two.',
      source: 'toolkit/config_modules.py L456-463',
      example: job('        gradient_accumulation_steps: 2\n        gradient_accumulation: 2\n'),
      counterexample: job('        gradient_accumulation_steps: 2\n        gradient_accumulation: 1\n'),
    },
    {
      id: 'ai-toolkit-captions-double',
      severity: 'information',
      summary: 'Short and long captions double the batch.',
      when: { on: ['config.process[0].train.short_and_long_captions'] },
      at: ['config.process[0].train.short_and_long_captions'],
      message: template(
        '{config.process[0].train.short_and_long_captions} feeds each image twice, once with each caption. A step takes twice the batch.',
      ),
      meaning: 'The batch is doubled when it is made, after batch_size.',
      advice: 'Halve `train.batch_size` if memory is short.',
      source: 'jobs/process/BaseSDTrainProcess.py: short_and_long_captions',
      example: job('        short_and_long_captions: true\n'),
      counterexample: job('        short_and_long_captions: false\n'),
    },
  ],
};
