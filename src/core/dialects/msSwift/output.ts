import type { Launch } from '../dialect';
import type { LogLine } from '../../data/forms/line';

const CLI = 'swift/cli/main.py: NPROC_PER_NODE starts torch.distributed.run';
const swift = (command: string): readonly string[] => [
  'env',
  'NPROC_PER_NODE={gpus}',
  'swift',
  command,
  '{config}',
];

/** Configs with Megatron's keys are started with `megatron` in place of `swift`. */
export const msSwiftLaunch: readonly Launch[] = [
  { argv: swift('sft'), tasks: ['sft'], writes: ['output_dir'], source: CLI },
  { argv: swift('pt'), tasks: ['pretrain'], writes: ['output_dir'], source: CLI },
  {
    argv: swift('rlhf'),
    tasks: ['dpo', 'orpo', 'simpo', 'kto', 'cpo', 'reward', 'ppo', 'grpo', 'gkd'],
    source: CLI,
  },
];

export const msSwiftLogs: readonly LogLine[] = [
  {
    pattern: String.raw`'loss': '?(?<loss>[\d.e+-]+)'?,.*'learning_rate': '?(?<learningRate>[\d.e+-]+)'?,.*'epoch': '?(?<epoch>[\d.]+)'?,.*'global_step/max_steps': '(?<step>\d+)/(?<steps>\d+)'.*'memory\(GiB\)': (?<reservedGiB>[\d.]+), 'train_speed\(s/it\)': (?<secondsPerStep>[\d.]+)`,
    fields: ['loss', 'learningRate', 'epoch', 'step', 'steps', 'reservedGiB', 'secondsPerStep'],
    example:
      "{'loss': 1.52, 'grad_norm': 1.2, 'learning_rate': 9.9e-05, 'token_acc': 0.66, 'epoch': 0.05, 'global_step/max_steps': '5/100', 'percentage': '5.00%', 'elapsed_time': '12s', 'remaining_time': '3m 50s', 'memory(GiB)': 20.4, 'train_speed(s/it)': 2.42}",
    source: 'swift/trainers/patcher.py L17-31: the most that was reserved',
  },
];
