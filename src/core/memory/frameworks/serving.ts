import { usual } from './profile';
import type { FrameworkProfile } from './profile';

/** Devices of this size get larger passes (vllm/engine/arg_utils.py, default_max_num_batched_tokens). */
const LARGE_MIB = 70 * 1024;

/** The share covers everything, including the context, weights and the activations of a profiling pass. */
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

/** The share is of the free memory before loading, and holds weights and cache; activations are extra. */
export const sglang: FrameworkProfile<'sglang'> = {
  ...usual,
  id: 'sglang',
  serving: {
    title: 'SGLang',
    source: 'sglang 4fa3482, srt/model_executor/model_runner_kv_cache_mixin.py, _profile_available_bytes',
    shareKey: 'mem-fraction-static',
    // server_args.py computes one from the GPU, chunks and graphs.
    share: null,
    prefillTokens: () => 8192,
    sequences: 256,
    block: 1,
    cacheBytes: ({ totalBytes, contextBytes, weightsBytes }, share) =>
      share * (totalBytes - contextBytes) - weightsBytes,
  },
};

/** Share that is not left free (models/globals.py, TGI_WIGGLE_ROOM). */
const WIGGLE_ROOM = 0.9;

/** After a warm-up pass it fills the share except for a tenth. */
export const tgi: FrameworkProfile<'tgi'> = {
  ...usual,
  id: 'tgi',
  serving: {
    title: 'Text Generation Inference',
    source: 'text-generation-inference, server/models/flash_causal_lm.py, warmup; utils/import_utils.py',
    shareKey: 'cuda-memory-fraction',
    share: 1,
    prefillTokens: () => 4096,
    sequences: 128,
    block: 1,
    cacheBytes: ({ totalBytes, contextBytes, peakBytes }, share) =>
      share * WIGGLE_ROOM * totalBytes - peakBytes - contextBytes,
  },
};

/** A server in Rust: its process does not have Python's host RAM. */
export const tei: FrameworkProfile<'tei'> = { ...usual, id: 'tei', isPython: false };
