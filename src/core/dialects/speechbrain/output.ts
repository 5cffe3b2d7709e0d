import type { Launch } from '../dialect';
import type { LogLine } from '../../data/forms/line';

export const speechbrainLaunch: readonly Launch[] = [
  {
    argv: ['torchrun', '--nproc_per_node={gpus}', 'train.py', '{config}'],
    source: 'docs/multigpu.md; keys are overridden as --batch_size=4',
  },
];

export const speechbrainLogs: readonly LogLine[] = [
  {
    pattern: String.raw`(?<percent>\d+)%\|[^|]*\| (?<step>\d+)/(?<steps>\d+) \[.*?train_loss=(?<loss>[\d.e+-]+)`,
    bar: true,
    fields: ['percent', 'step', 'steps', 'loss'],
    example: '  3%|▎         | 100/3500 [01:20<45:00,  1.26it/s, train_loss=12.3]',
    source: 'speechbrain/core.py: the progress bar of fit',
  },
  {
    pattern: String.raw`epoch: (?<epoch>\d+), lr: (?<learningRate>[\d.e+-]+).*?train loss: (?<loss>[\d.e+-]+)`,
    fields: ['epoch', 'learningRate', 'loss'],
    example:
      'epoch: 1, lr: 1.0e-03, steps: 3500, optimizer: AdamW - train loss: 8.1 - valid loss: 5.2, valid ACC: 0.71',
    source: 'speechbrain/utils/train_logger.py, FileTrainLogger',
  },
];
