import type { Launch } from '../dialect';
import type { LogLine } from '../../data/forms/line';

export const litgptLaunch: readonly Launch[] = [
  {
    argv: ['litgpt', 'pretrain', '--config', '{config}'],
    tasks: ['pretrain'],
    resume: ['litgpt', 'pretrain', '--config', '{config}', '--resume', 'auto'],
    writes: ['out_dir'],
    source: 'litgpt/__main__.py; Fabric starts a process for each of devices',
  },
  {
    argv: ['litgpt', 'finetune', '--config', '{config}'],
    tasks: ['sft'],
    writes: ['out_dir'],
    source: 'litgpt/__main__.py: finetune is finetune_lora; finetune_full for configs without keys of LoRA',
  },
];

export const litgptLogs: readonly LogLine[] = [
  {
    pattern: String.raw`Epoch (?<epoch>\d+) \| iter \d+ step (?<step>\d+) \| loss train: (?<loss>[\d.]+)`,
    fields: ['epoch', 'step', 'loss'],
    example: 'Epoch 1 | iter 8 step 1 | loss train: 1.234, val: n/a | iter time: 250.00 ms (step)',
    source: 'litgpt/finetune/lora.py, full.py: fit()',
  },
];
