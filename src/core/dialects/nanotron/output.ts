import type { Launch } from '../dialect';
import type { LogLine } from '../../data/forms/line';

export const nanotronLaunch: readonly Launch[] = [
  {
    argv: ['torchrun', '--nproc_per_node={gpus}', 'run_train.py', '--config-file', '{config}'],
    source: 'nanotron README: CUDA_DEVICE_MAX_CONNECTIONS=1 torchrun … run_train.py --config-file',
  },
];

export const nanotronLogs: readonly LogLine[] = [
  {
    pattern: String.raw`iteration: (?<step>\d+) / (?<steps>\d+) \|.*?lm_loss: (?<loss>[\d.]+) \| lr: (?<learningRate>[\d.e-]+)`,
    fields: ['step', 'steps', 'loss', 'learningRate'],
    example:
      'iteration: 10 / 100 | consumed_tokens: 1.31M | time_per_iteration_ms: 803 | tokens_per_sec: 163K | tokens_per_sec_per_gpu: 20.4K | global_batch_size: 131K | lm_loss: 9.12 | lr: 0.0003 | model_tflops_per_gpu: 85.1',
    source: 'src/nanotron/trainer.py L773-784',
  },
  {
    pattern: String.raw`Peak allocated (?<allocatedMiB>[\d.]+)MiB\. Peak reserved: (?<reservedMiB>[\d.]+)MiB`,
    fields: ['allocatedMiB', 'reservedMiB'],
    example: ' Memory usage: 1234.00MiB. Peak allocated 5678.00MiB. Peak reserved: 6000.00MiB',
    source: 'src/nanotron/logging/base.py, log_memory',
  },
];
