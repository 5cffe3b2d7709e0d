import type { Launch } from '../dialect';
import type { LogLine } from '../../data/forms/line';

const script = (name: string, ...tasks: readonly string[]): Launch => ({
  argv: ['uv', 'run', `examples/run_${name}.py`, '--config', '{config}', 'cluster.gpus_per_node={gpus}'],
  tasks,
  source: `NeMo-RL examples/run_${name}.py; keys follow in Hydra’s words`,
});

export const nemoRlLaunch: readonly Launch[] = [
  script('sft', 'sft'),
  script('grpo', 'grpo'),
  script('dpo', 'dpo'),
  script('rm', 'reward'),
  script('distillation', 'distillation'),
];

export const nemoRlLogs: readonly LogLine[] = [
  {
    pattern: String.raw`• Loss: (?<loss>-?[\d.]+)`,
    fields: ['loss'],
    example: '  • Loss: 0.9123',
    source: 'nemo_rl/algorithms/sft.py L612-641',
  },
  {
    pattern: String.raw`• Total step time: (?<secondsPerStep>[\d.]+)s`,
    fields: ['secondsPerStep'],
    example: '  • Total step time: 12.34s',
    source: 'nemo_rl/algorithms/sft.py L612-641',
  },
];
