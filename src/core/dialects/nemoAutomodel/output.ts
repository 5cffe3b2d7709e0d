import type { Launch } from '../dialect';
import type { LogLine } from '../../data/forms/line';

export const automodelLaunch: readonly Launch[] = [
  {
    argv: ['automodel', '{config}', '--nproc-per-node', '{gpus}'],
    source: 'NeMo Automodel README L228-318; keys follow as --step_scheduler.local_batch_size 2',
  },
];

export const automodelLogs: readonly LogLine[] = [
  {
    pattern: String.raw`step (?<step>\d+) \| epoch (?<epoch>\d+) \| loss (?<loss>[\d.]+) \| grad_norm [\d.a-z]+ \| lr (?<learningRate>[\d.e+-]+) \| mem (?<allocatedGiB>[\d.]+) GiB \| tps (?<tokensPerSecond>[\d.]+)`,
    fields: ['step', 'epoch', 'loss', 'learningRate', 'allocatedGiB', 'tokensPerSecond'],
    example:
      'step 10 | epoch 0 | loss 1.2345 | grad_norm 0.8000 | lr 1.00e-05 | mem 21.10 GiB | tps 5000.00(5000.00/gpu) | num_label_tokens 812',
    source: 'nemo_automodel/recipes/llm/train_ft.py L1567: max_memory_allocated, reset every step',
  },
];
