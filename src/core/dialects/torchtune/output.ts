import type { Launch } from '../dialect';
import type { LogLine } from '../../data/forms/line';

/** The recipe follows from the file's name, as shipped configs have it; a path is taken in place of a name. */
export const torchtuneLaunch: readonly Launch[] = [
  {
    argv: ['tune', 'run', '--nproc_per_node', '{gpus}', '{recipe}', '--config', '{config}'],
    writes: ['output_dir', 'checkpointer.output_dir'],
    source: 'torchtune 0.7.0 _cli/run.py; torchrun flags stand before the recipe',
  },
];

export const torchtuneLogs: readonly LogLine[] = [
  {
    pattern: String.raw`Step (?<step>\d+) \| loss:(?<loss>[\d.e+-]+) lr:(?<learningRate>[\d.e+-]+) tokens_per_second_per_gpu:(?<tokensPerSecond>[\d.e+-]+)`,
    fields: ['step', 'loss', 'learningRate', 'tokensPerSecond'],
    example: 'Step 12 | loss:1.21 lr:0.0003 tokens_per_second_per_gpu:812.4 peak_memory_active:17.3',
    source: 'torchtune/training/metric_logging.py, DiskLogger',
  },
  {
    pattern: String.raw`peak_memory_alloc:(?<allocatedGiB>[\d.]+).*?peak_memory_reserved:(?<reservedGiB>[\d.]+)`,
    fields: ['allocatedGiB', 'reservedGiB'],
    example: 'peak_memory_active:17.3 peak_memory_alloc:17.1 peak_memory_reserved:19.8',
    source: 'torchtune/training/memory.py L297-320, with log_peak_memory_stats',
  },
  {
    pattern: String.raw`(?<epoch>\d+)\|(?<step>\d+)\|Loss: (?<loss>[\d.]+)`,
    fields: ['epoch', 'step', 'loss'],
    example: '1|120|Loss: 0.9512345',
    source: 'recipes/*.py: the description of the progress bar',
  },
];
