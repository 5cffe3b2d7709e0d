import type { Launch } from '../dialect';
import type { LogLine } from '../../data/forms/line';
import { trainerLogs } from '../shared/trainerOutput';

export const axolotlLaunch: readonly Launch[] = [
  {
    argv: ['axolotl', 'train', '{config}', '--launcher', 'accelerate', '--', '--num_processes={gpus}'],
    resume: [
      'axolotl',
      'train',
      '{config}',
      '--auto-resume-from-checkpoints',
      '--launcher',
      'accelerate',
      '--',
      '--num_processes={gpus}',
    ],
    writes: ['output_dir'],
    source:
      'cli/utils/train.py L157-193; docs/cli.qmd L35: what stands behind -- goes to the launcher; cli/utils/args.py: keys are options',
  },
];

export const axolotlLogs: readonly LogLine[] = [
  {
    pattern: String.raw`'memory/max_allocated \(GiB\)': '?(?<allocatedGiB>[\d.]+)'?, 'memory/device_reserved \(GiB\)': '?(?<reservedGiB>[\d.]+)`,
    fields: ['allocatedGiB', 'reservedGiB'],
    example:
      "{'loss': 1.23, 'grad_norm': 0.8, 'learning_rate': 2e-05, 'memory/max_active (GiB)': 21.3, 'memory/max_allocated (GiB)': 21.1, 'memory/device_reserved (GiB)': 23.9, 'epoch': 0.1}",
    source: 'core/trainers/base.py L739-744: peaks since the last line',
  },
  ...trainerLogs,
];
