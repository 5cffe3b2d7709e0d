import { usual } from './profile';
import type { FrameworkProfile } from './profile';

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

/** The share is of what is free before the weights come, and holds weights and cache; activations come in addition to it. */
export const sglang: FrameworkProfile<'sglang'> = {
  ...usual,
  id: 'sglang',
  serving: {
    title: 'SGLang',
    source: 'sglang 4fa3482, srt/model_executor/model_runner_kv_cache_mixin.py, _profile_available_bytes',
    shareKey: 'mem-fraction-static',
    // server_args.py finds one from the GPU, chunks and graphs.
    share: null,
    prefillTokens: () => 8192,
    sequences: 256,
    block: 1,
    cacheBytes: ({ totalBytes, contextBytes, weightsBytes }, share) =>
      share * (totalBytes - contextBytes) - weightsBytes,
  },
};

/** What is left free as well (models/globals.py, TGI_WIGGLE_ROOM). */
const WIGGLE_ROOM = 0.9;

/** After a warm-up pass it fills the share but for a tenth. */
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

/** A server in Rust: what its process takes of the host is not that of Python. */
export const tei: FrameworkProfile<'tei'> = { ...usual, id: 'tei', isPython: false };
