import type { FrameworkProfile } from './profile';
import { usual } from './usual';

/** Devices of this size are given larger passes (vllm/engine/arg_utils.py, default_max_num_batched_tokens). */
const LARGE_MIB = 70 * 1024;

/** The share is of everything, the context, weights and the activations of a profiling pass included. */
export const vllm: FrameworkProfile<'vllm'> = {
  ...usual,
  id: 'vllm',
  serving: {
    title: 'vLLM',
    source: 'vllm 002f10e0, v1/worker/gpu_worker.py, determine_available_memory; config/cache.py',
    shareKey: 'gpu-memory-utilization',
    share: 0.92,
    prefillTokens: totalMiB => (totalMiB >= LARGE_MIB ? 8192 : 2048),
    sequences: 256,
    block: 16,
    groupsLayers: true,
    cacheBytes: ({ totalBytes, contextBytes, peakBytes }, share) =>
      share * totalBytes - peakBytes - contextBytes,
  },
};
