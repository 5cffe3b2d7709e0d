import type { Launch } from '../dialect';
import type { LogLine } from '../../data/forms/line';

export const vllmLaunch: readonly Launch[] = [
  { argv: ['vllm', 'serve', '--config', '{config}'], source: 'vllm docs/configuration/serve_args.md' },
];

export const vllmLogs: readonly LogLine[] = [
  {
    pattern: String.raw`Loading safetensors checkpoint shards:\s+(?<percent>\d+)% Completed`,
    fields: ['percent'],
    example: 'Loading safetensors checkpoint shards: 50% Completed | 2/4 [00:01<00:01, 1.5it/s]',
    source: 'vllm/model_executor/model_loader/weight_utils.py',
  },
  {
    pattern: String.raw`Model loading took (?<allocatedGiB>[\d.]+) ?Gi?B`,
    fields: ['allocatedGiB'],
    example: 'Model loading took 14.2488 GiB and 6.1 seconds',
    source: 'vllm/v1/worker/gpu_model_runner.py, load_model',
  },
];
