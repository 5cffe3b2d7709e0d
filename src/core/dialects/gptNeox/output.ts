import type { Launch } from '../dialect';
import type { LogLine } from '../../data/forms/line';

export const gptNeoxLaunch: readonly Launch[] = [
  {
    argv: ['python', 'deepy.py', 'train.py', '{config}', 'local_setup.yml'],
    source: 'GPT-NeoX README: several YAML files are one config; -d names their folder',
  },
];

export const gptNeoxLogs: readonly LogLine[] = [
  {
    pattern: String.raw`samples/sec: (?<samplesPerSecond>[\d.]+) \| iteration\s+(?<step>\d+)/\s*(?<steps>\d+) \|.*?learning rate: (?<learningRate>[\d.E+-]+) \|.*?lm_loss: (?<loss>[\d.E+-]+)`,
    fields: ['samplesPerSecond', 'step', 'steps', 'learningRate', 'loss'],
    example:
      ' samples/sec: 35.213 | iteration      100/  320000 | elapsed time per iteration (ms): 910.1 | learning rate: 1.875E-05 | approx flops per GPU: 80.1TFLOPS | lm_loss: 8.912345E+00 | number of skipped iterations:   0 |',
    source: 'megatron/logging.py L428-470',
  },
  {
    pattern: String.raw`memory \(MB\) \| allocated: [\d.]+ \| max allocated: (?<allocatedMiB>[\d.]+) \| reserved: [\d.]+ \| max reserved: (?<reservedMiB>[\d.]+)`,
    fields: ['allocatedMiB', 'reservedMiB'],
    example:
      'after 10 iterations memory (MB) | allocated: 1234.0 | max allocated: 14321.0 | reserved: 15000.0 | max reserved: 15000.0',
    source: 'megatron/utils.py, report_memory: divided by 1024², whatever its name says',
  },
];
