import type { Launch } from '../dialect';
import type { LogLine } from '../../data/forms/line';

export const linguaLaunch: readonly Launch[] = [
  {
    argv: ['torchrun', '--nproc-per-node', '{gpus}', '-m', 'apps.main.train', 'config={config}'],
    source: 'lingua README: torchrun --nproc-per-node 8 -m apps.main.train config=…',
  },
];

export const linguaLogs: readonly LogLine[] = [
  {
    pattern: String.raw`step: (?<step>\d+)  acc: \d+  loss:\s+(?<loss>[\d.]+)  grad: \S+  flops: \S+  wps: (?<tokensPerSecond>[\d.e+-]+)  iter:\s+(?<secondsPerStep>[\d.]+).*?lr: (?<learningRate>[\d.e+-]+)`,
    fields: ['step', 'loss', 'tokensPerSecond', 'secondsPerStep', 'learningRate'],
    example:
      'step: 10  acc: 0  loss:  9.1234  grad: 1.2e+00  flops: 3.1e+14  wps: 1.2e+04  iter:   0.512  data: 0.0012  lr: 1.0e-05  mem: 71%  pow: 650 W',
    source: 'apps/main/train.py L515-527; mem is the share of the card, not bytes',
  },
];
