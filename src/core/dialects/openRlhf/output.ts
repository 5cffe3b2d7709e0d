import type { LogLine } from '../../data/forms/line';

export const openRlhfLogs: readonly LogLine[] = [
  {
    pattern: String.raw`Train step of epoch (?<epoch>\d+):\s+\d+%\|[^|]*\| (?<step>\d+)/(?<steps>\d+) \[.*?(?<secondsPerStep>[\d.]+)s/it.*?(?:gpt_)?loss=(?<loss>[\d.e+-]+)`,
    fields: ['epoch', 'step', 'steps', 'secondsPerStep', 'loss'],
    example:
      'Train step of epoch 0:  25%|██▌       | 512/2048 [06:10<18:31,  1.38s/it, gpt_loss=1.21, lr=4.2e-6]',
    source: 'openrlhf/trainer/sft_trainer.py L129, L194: tqdm with the loss behind it',
  },
];
