import type { LogLine } from '../../data/forms/line';

/** Lines that every Lightning Trainer prints. */
export const lightningLogs: readonly LogLine[] = [
  {
    pattern: String.raw`Epoch (?<epoch>\d+):\s+(?<percent>\d+)%\|[^|]*\| (?<step>\d+)/(?<steps>\d+) \[[^\]]*?(?<stepsPerSecond>[\d.]+)it/s`,
    bar: true,
    fields: ['epoch', 'percent', 'step', 'steps', 'stepsPerSecond'],
    example: 'Epoch 0:   4%|▍         | 350/8000 [00:09<03:23, 37.56it/s, v_num=0, train_loss=1.8]',
    source: 'lightning callbacks/progress/tqdm_progress.py L105',
  },
  {
    pattern: String.raw`Epoch (?<epoch>\d+)/(?<epochs>\d+) \S+ (?<step>\d+)/(?<steps>\d+) \S+ • \S+ (?<stepsPerSecond>[\d.]+)it/s`,
    fields: ['epoch', 'epochs', 'step', 'steps', 'stepsPerSecond'],
    example: 'Epoch 0/9 ━━━ 350/8000 0:00:09 • 0:03:23 37.56it/s v_num: 0',
    source: 'lightning callbacks/progress/rich_progress.py',
  },
];
