import type { LogLine } from '../../data/forms/line';

export const megatronLmLogs: readonly LogLine[] = [
  {
    pattern: String.raw`iteration\s+(?<step>\d+)/\s*(?<steps>\d+) \|.*?learning rate: (?<learningRate>[\d.E+-]+) \|.*?lm loss: (?<loss>[\d.E+-]+)`,
    fields: ['step', 'steps', 'learningRate', 'loss'],
    example:
      ' [2025-05-01 10:00:00] iteration      100/  500000 | consumed samples:        12800 | elapsed time per iteration (ms): 812.4 | learning rate: 1.500000E-05 | global batch size:   128 | lm loss: 7.812345E+00 | loss scale: 1.0 | grad norm: 1.2 |',
    source: 'megatron/training/training.py, training_log',
  },
  {
    pattern: String.raw`memory \(MB\) \| allocated: [\d.]+ \| max allocated: (?<allocatedMiB>[\d.]+) \| reserved: [\d.]+ \| max reserved: (?<reservedMiB>[\d.]+)`,
    fields: ['allocatedMiB', 'reservedMiB'],
    example:
      '[Rank 0] (after 10 iterations) memory (MB) | allocated: 1234.0 | max allocated: 14321.0 | reserved: 15000.0 | max reserved: 15000.0',
    source: 'megatron/training/utils.py, report_memory: divided by 1024², whatever its name says',
  },
];
