import type { Launch } from '../dialect';
import type { LogLine } from '../../data/forms/line';

export const megatronBridgeLaunch: readonly Launch[] = [
  {
    argv: ['torchrun', '--nproc_per_node={gpus}', '02_pretrain_with_yaml.py', '--config-file', '{config}'],
    tasks: ['pretrain'],
    source: 'Megatron-Bridge tutorials/recipes/llama/README.md; keys follow as train.micro_batch_size=1',
  },
  {
    argv: ['torchrun', '--nproc_per_node={gpus}', '03_finetune_with_yaml.py', '--config-file', '{config}'],
    tasks: ['sft'],
    source: 'Megatron-Bridge tutorials/recipes/llama/README.md',
  },
];

export const megatronBridgeLogs: readonly LogLine[] = [
  {
    pattern: String.raw`iteration\s+(?<step>\d+)/\s*(?<steps>\d+) \|.*?elapsed time per iteration \(ms\): [\d.]+ \|.*?learning rate: (?<learningRate>[\d.E+-]+) \|.*?lm loss: (?<loss>[\d.E+-]+)`,
    fields: ['step', 'steps', 'learningRate', 'loss'],
    example:
      ' [2026-08-22 10:00:00] iteration       10/     100 | consumed samples:         320 | elapsed time per iteration (ms): 912.3 | learning rate: 1.000000E-05 | global batch size:    32 | lm loss: 9.812345E+00 | loss scale: 1.0 | grad norm: 2.345 |',
    source: 'src/megatron/bridge/training/utils/train_utils.py L1088-1117',
  },
];
