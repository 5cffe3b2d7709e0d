import type { Launch } from '../dialect';
import type { LogLine } from '../../data/forms/line';

export const verlLaunch: readonly Launch[] = [
  {
    argv: [
      'torchrun',
      '--standalone',
      '--nnodes={nodes}',
      '--nproc_per_node={gpus}',
      '-m',
      'verl.trainer.fsdp_sft_trainer',
    ],
    tasks: ['sft'],
    source: 'verl/trainer/fsdp_sft_trainer.py; the config by --config-path and --config-name',
  },
  {
    argv: ['python3', '-m', 'verl.trainer.main_ppo', '--config-path', '{folder}', '--config-name', '{name}'],
    source: 'verl/trainer/main_ppo.py; Ray is started locally',
  },
];

export const verlLogs: readonly LogLine[] = [
  {
    pattern: String.raw`step:(?<step>\d+) - .*?perf/max_memory_allocated_gb:(?<allocatedGiB>[\d.]+) - .*?perf/max_memory_reserved_gb:(?<reservedGiB>[\d.]+)`,
    fields: ['step', 'allocatedGiB', 'reservedGiB'],
    example:
      'step:12 - actor/pg_loss:0.012 - perf/max_memory_allocated_gb:41.2 - perf/max_memory_reserved_gb:52.7 - timing_s/step:88.1',
    source: 'utils/logger/aggregate_logger.py L27; workers/fsdp_workers.py L915-917, values in GiB',
  },
  {
    pattern: String.raw`step:(?<step>\d+) - .*?train/loss:(?<loss>[\d.e+-]+)`,
    fields: ['step', 'loss'],
    example: 'step:12 - train/loss:1.204 - train/lr(1e-3):0.01',
    source: 'utils/logger/aggregate_logger.py L27; trainer/fsdp_sft_trainer.py',
  },
];
