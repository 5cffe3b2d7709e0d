import type { Launch } from '../dialect';
import type { LogLine } from '../../data/forms/line';

export const maxtextLaunch: readonly Launch[] = [
  {
    argv: ['python3', '-m', 'MaxText.train', '{config}', 'run_name={name}'],
    source: 'MaxText README; keys follow as per_device_batch_size=4. JAX takes all devices it sees',
  },
];

export const maxtextLogs: readonly LogLine[] = [
  {
    pattern: String.raw`completed step: (?<step>\d+), seconds: (?<secondsPerStep>[\d.]+),.*?Tokens/s/device: (?<tokensPerSecond>[\d.]+),.*?loss: (?<loss>[\d.]+)`,
    fields: ['step', 'secondsPerStep', 'tokensPerSecond', 'loss'],
    example:
      'completed step: 10, seconds: 2.1, TFLOP/s/device: 150.2, Tokens/s/device: 5800.123, total_weights: 65536, loss: 9.1',
    source: 'MaxText/metric_logger.py',
  },
];
