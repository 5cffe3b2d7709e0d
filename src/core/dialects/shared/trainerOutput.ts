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

/** Lines that transformers' Trainer prints in any program. */
export const trainerLogs: readonly LogLine[] = [
  {
    pattern: String.raw`\{'loss': '?(?<loss>[\d.e+-]+)'?, .*'learning_rate': '?(?<learningRate>[\d.e+-]+)'?, .*'epoch': '?(?<epoch>[\d.]+)'?`,
    fields: ['loss', 'learningRate', 'epoch'],
    example:
      "{'loss': 1.2345, 'grad_norm': 0.81, 'learning_rate': 9.98e-05, 'mean_token_accuracy': 0.71, 'num_tokens': 81920.0, 'epoch': 0.16}",
    source: 'transformers trainer_callback.py, PrinterCallback',
  },
  {
    pattern: String.raw`(?<percent>\d+)%\|[^|]*\| (?<step>\d+)/(?<steps>\d+) \[.*?(?<secondsPerStep>[\d.]+)s/it\]`,
    bar: true,
    fields: ['percent', 'step', 'steps', 'secondsPerStep'],
    example: '  3%|▎         | 30/1000 [01:14<40:45,  2.52s/it]',
    source: 'tqdm, of transformers trainer_callback.py ProgressCallback',
  },
  {
    pattern: String.raw`(?<percent>\d+)%\|[^|]*\| (?<step>\d+)/(?<steps>\d+) \[.*?(?<stepsPerSecond>[\d.]+)it/s\]`,
    bar: true,
    fields: ['percent', 'step', 'steps', 'stepsPerSecond'],
    example: '  3%|▎         | 30/1000 [00:14<07:45,  2.08it/s]',
    source: 'tqdm, of transformers trainer_callback.py ProgressCallback',
  },
];
