import type { KeyHelp } from '../dialect';

/** What vLLM's keys do to memory; sources as in the dialect's table. */
export const vllmHelp: Readonly<Record<string, KeyHelp>> = {
  'gpu-memory-utilization': {
    text: 'Share of the whole GPU that this server takes: weights, activations, and keys and values in all that is left. Not a share of what is free: two servers on one GPU need a sum below 1.',
    byDefault: '0.92; 0.9 in older releases',
  },
  'max-model-len': {
    text: 'Longest sequence, prompt and answer together. One such sequence has to fit the cache, or the server does not start. Without it: all that the model was made for.',
  },
  'max-num-seqs': {
    text: 'Sequences worked on at a time. Bounds the activations that are profiled and the CUDA graphs; the cache fills the rest either way.',
    byDefault: '256; 1024 on GPUs of 70 GiB or more',
  },
  'max-num-batched-tokens': {
    text: 'Tokens of one pass. What their activations take at start-up is kept back from the cache.',
    byDefault: '2048; 8192 on GPUs of 70 GiB or more',
  },
  'tensor-parallel-size': {
    text: 'GPUs that share every layer. Divides weights and cache; has to divide the attention heads.',
    byDefault: '1',
  },
  'pipeline-parallel-size': { text: 'Groups of layers on GPUs of their own.', byDefault: '1' },
  'data-parallel-size': { text: 'Copies of the model on GPUs of their own.', byDefault: '1' },
  'kv-cache-dtype': {
    text: 'What keys and values are kept in. fp8 halves the cache: twice as many tokens.',
    values: ['auto', 'bfloat16', 'float16', 'fp8', 'fp8_e4m3', 'fp8_e5m2'],
    byDefault: 'auto: the dtype of the model',
  },
  dtype: {
    text: 'Dtype of weights and computation.',
    values: ['auto', 'half', 'float16', 'bfloat16', 'float', 'float32'],
    byDefault: 'auto: that of the checkpoint, fp16 in place of fp32',
  },
  quantization: { text: 'How the weights are quantised; without it the checkpoint’s own config says so.' },
  'enforce-eager': {
    text: 'No CUDA graphs: a few tenths of a GiB less, and slower.',
    values: ['true', 'false'],
    byDefault: 'false',
  },
  'cpu-offload-gb': {
    text: 'GiB of weights kept on the host and copied over in every pass.',
    byDefault: '0',
  },
  'swap-space': { text: 'GiB of host memory per GPU. Takes nothing on the GPU.', byDefault: '4' },
  'max-lora-rank': { text: 'Room for adapters is taken for this rank, whatever they have.', byDefault: '16' },
};
