import type { Launch } from '../dialect';
import type { LogLine } from '../../data/forms/line';

const accelerate = (script: string): readonly string[] => [
  'accelerate',
  'launch',
  '--mixed_precision',
  'bf16',
  '--num_machines',
  '{nodes}',
  '--num_processes',
  '{gpus}',
  script,
  '{config}',
];

/** ZeRO comes from `--use_deepspeed --deepspeed_config_file …` on the same line. */
export const openInstructLaunch: readonly Launch[] = [
  { argv: accelerate('open_instruct/finetune.py'), tasks: ['sft'], source: 'docs/tulu3.md' },
  {
    argv: accelerate('open_instruct/dpo_tune_cache.py'),
    tasks: ['dpo', 'simpo'],
    source: 'scripts/dpo_train_with_accelerate.sh',
  },
];

export const openInstructLogs: readonly LogLine[] = [
  {
    pattern: String.raw`Step: (?<step>\d+), LR: (?<learningRate>[\d.e+-]+), Loss: (?<loss>[\d.e+-]+), TPS: (?<tokensPerSecond>[\d.]+)`,
    fields: ['step', 'learningRate', 'loss', 'tokensPerSecond'],
    example: '  Step: 12, LR: 1e-06, Loss: 0.9, TPS: 5000.0',
    source: 'open_instruct/finetune.py L943-949',
  },
  {
    pattern: String.raw`Total optimization steps = (?<steps>\d+)`,
    fields: ['steps'],
    example: '  Total optimization steps = 2940',
    source: 'open_instruct/finetune.py',
  },
];
