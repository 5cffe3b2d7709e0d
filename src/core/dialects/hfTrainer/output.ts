import type { Launch } from '../dialect';

export const hfTrainerLaunch: readonly Launch[] = [
  {
    argv: ['torchrun', '--nproc_per_node={gpus}', 'train.py', '{config}'],
    writes: ['output_dir'],
    source: 'transformers HfArgumentParser.parse_yaml_file; how the script takes it is its own',
  },
];
