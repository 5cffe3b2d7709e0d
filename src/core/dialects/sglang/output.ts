import type { KeyHelp, Launch } from '../dialect';
import type { LogLine } from '../../data/forms/line';

export const sglangLaunch: readonly Launch[] = [
  {
    argv: ['python', '-m', 'sglang.launch_server', '--config', '{config}'],
    source: 'sglang docs/advanced_features/server_arguments.md',
  },
];

export const sglangLogs: readonly LogLine[] = [
  {
    pattern: String.raw`Load weight end\..*mem usage=(?<allocatedGiB>[\d.]+) GB`,
    fields: ['allocatedGiB'],
    example:
      '[2025-05-01 12:00:00 TP0] Load weight end. type=LlamaForCausalLM, dtype=torch.bfloat16, avail mem=63.2 GB, mem usage=15.38 GB.',
    source: 'sglang/srt/model_executor/model_runner.py, load_model',
  },
  {
    pattern: String.raw`Capturing batches .*?(?<percent>\d+)%`,
    fields: ['percent'],
    example: 'Capturing batches (bs=496 avail_mem=20.14 GB):   2%|▊ | 1/52 [00:03<03:17,  3.88s/it]',
    source: 'sglang/srt/model_executor/cuda_graph_runner.py',
  },
];

/** What SGLang's keys do to memory. */
export const sglangHelp: Readonly<Record<string, KeyHelp>> = {
  'mem-fraction-static': {
    text: 'Share of the GPU for weights and the pool of keys and values. Activations and CUDA graphs come beside it, unlike vLLM’s share: lower it when prompts run out of memory, raise it when the pool is too small.',
    byDefault: 'from the GPU, the ranks and the chunks',
  },
  'context-length': { text: 'Longest sequence. Without it: all that the model was made for.' },
  'chunked-prefill-size': {
    text: 'Tokens of a prompt in one pass; -1 does not cut prompts. Activations grow with it.',
    byDefault: '2048 to 16384, by the GPU',
  },
  'max-running-requests': { text: 'Sequences worked on at a time.', byDefault: 'from memory' },
  'max-total-tokens': { text: 'Tokens in the pool: meant for debugging.', byDefault: 'what fits' },
  'tp-size': { text: 'GPUs that share every layer, over all nodes.', byDefault: '1' },
  'kv-cache-dtype': {
    text: 'What keys and values are kept in. fp8 halves the pool’s bytes per token.',
    values: ['auto', 'bf16', 'bfloat16', 'fp8_e4m3', 'fp8_e5m2'],
    byDefault: 'auto: the dtype of the model',
  },
  'cuda-graph-max-bs': { text: 'Largest batch with a CUDA graph: graphs take memory beside the pool.' },
  'disable-cuda-graph': { text: 'No CUDA graphs: less memory, slower.', byDefault: 'false' },
  quantization: { text: 'How the weights are quantised.' },
};
