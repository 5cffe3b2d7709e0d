import type { Launch } from '../dialect';

const trl = (command: string, ...tasks: readonly string[]): Launch => ({
  argv: ['trl', command, '--config', '{config}', '--num_processes', '{gpus}'],
  tasks,
  writes: ['output_dir'],
  source: 'trl cli.py: arguments of accelerate launch pass through; --accelerate_config names how GPUs share',
});

export const hfTrlLaunch: readonly Launch[] = [
  trl('sft', 'sft'),
  trl('dpo', 'dpo'),
  trl('kto', 'kto'),
  trl('grpo', 'grpo'),
  trl('rloo', 'rloo'),
  trl('reward', 'reward'),
];
