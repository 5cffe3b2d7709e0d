import type { Dice } from '../dice';
import { number, word } from './words';

const PROGRAMS = [
  ...[
    'torchrun --nproc_per_node=8 train.py',
    'accelerate launch train.py',
    'deepspeed --num_gpus 4 train.py',
    'python',
  ],
  ...[
    'axolotl train a.yml',
    'python -m axolotl.cli.train a.yml',
    'vllm serve ./m',
    'llama-server -m x-Q4_K_M.gguf',
  ],
  ...[
    'python -m openrlhf.cli.train_sft',
    'swift sft',
    'srun python pretrain_gpt.py',
    'python train.py --config-name=x',
  ],
  ...[
    'docker run --gpus all vllm/vllm-openai',
    'python -m sglang.launch_server',
    'trl sft',
    'llamafactory-cli train a.yml',
  ],
];
const FLAGS = [
  ...[
    '--model',
    '--model_name_or_path',
    '--per_device_train_batch_size',
    '--tensor-model-parallel-size',
    '--micro-batch-size',
  ],
  ...[
    '--max-model-len',
    '--num-layers',
    '--hidden-size',
    '--seq-length',
    '--lora_r',
    '--bf16',
    '--deepspeed',
    '-m',
    '-c',
  ],
  ...[
    '--config',
    '--target_modules',
    '--output_dir',
    'model.x',
    '+trainer.devices',
    '--quantization',
    '-ngl',
    '--__proto__',
  ],
];
const NAMES = ['A', 'B', 'ARGS', 'MODEL', 'GPUS', '__proto__', 'PATH', 'IFS'];

/** A shell script by its grammar: assignments that grow, arrays, heredocs, loops, directives, quotes that stay open. */
export function shellText(dice: Dice): string {
  const start = [
    '#!/bin/bash',
    ...dice.some(
      0,
      3,
      () => `#SBATCH ${dice.pick(['--gres=gpu:', '--gpus=', '--array=0-', '--mem=', '-N '])}${number(dice)}`,
    ),
  ];
  const lines = dice.some(1, 12, () => statement(dice, 2));
  const again = dice.chance(0.2)
    ? lines.flatMap(line => Array.from({ length: dice.size(60) }, () => line))
    : lines;
  return [...start, ...again, command(dice)].join('\n');
}

function statement(dice: Dice, depth: number): string {
  const name = dice.pick(NAMES);
  const made = dice.pick([
    () => `${name}=${value(dice)}`,
    () => `${name}="$${name}$${name}"`,
    () => `${name}+=" ${value(dice)}"`,
    () => `${name}=("\${${name}[@]}" "\${${name}[@]}" ${value(dice)})`,
    () => `${name}+=( ${dice.some(0, 5, () => `${dice.pick(FLAGS)} ${value(dice)}`).join(' ')} )`,
    () => `export ${name}=$(( ${'('.repeat(dice.size(500))}${number(dice)} * ${name} ))`,
    () =>
      `cat <<${dice.pick(['EOF', "'EOF'", '-EOF'])} > ds.json\n${word(dice)}\n${dice.chance(0.8) ? 'EOF' : ''}`,
    () => (depth > 0 ? `for i in ${range(dice)}; do\n${statement(dice, depth - 1)}\ndone` : 'true'),
    () => (depth > 0 ? `if [ "$${name}" = 1 ]; then\n${statement(dice, depth - 1)}\nfi` : 'false'),
    () =>
      depth > 0
        ? `f() {\n${statement(dice, depth - 1)}\n${dice.chance(0.3) ? 'f' : command(dice)}\n}\nf`
        : ':',
    () => `${name}=\${${name}:-${value(dice)}}`,
    () => `source ${dice.pick(['./env.sh', '/dev/zero', 'pipe', '$0'])}`,
    () => command(dice),
  ]);
  return made();
}

const range = (dice: Dice): string =>
  dice.pick(['{0..99999999}', '1 2 3', '"${A[@]}"', '$(seq 1 9999999)', '*', '{a,b}{a,b}{a,b}']);

function command(dice: Dice): string {
  const args = dice.some(0, dice.size(40), () => `${dice.pick(FLAGS)}${dice.pick([' ', '='])}${value(dice)}`);
  const prefix = dice.chance(0.3) ? `CUDA_VISIBLE_DEVICES=${value(dice)} ` : '';
  return `${prefix}${dice.pick(PROGRAMS)} ${args.join(dice.pick([' ', ' \\\n  ']))}`;
}

const value = (dice: Dice): string =>
  dice.pick([
    () => number(dice),
    () => `"${word(dice)}"`,
    () => `'${word(dice)}'`,
    () => word(dice),
    () => `$${dice.pick(NAMES)}`,
    () => `"\${${dice.pick(NAMES)}[@]}"`,
    () => `\${${dice.pick(NAMES)}//${dice.pick(['a', '*', '/'])}/${word(dice)}}`,
    () => `$(${dice.pick(['cat x', 'touch pwned', 'echo 1'])})`,
    () => `$'${dice.pick(['\\x1b[2K', '\\n', '\\u202e'])}'`,
  ])();
