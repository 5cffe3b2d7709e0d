import { usual } from './profile';
import type { FrameworkProfile } from './profile';

/** The share is of the free memory before loading, and holds weights and cache; activations are extra. */
export const sglang: FrameworkProfile<'sglang'> = {
  ...usual,
  id: 'sglang',
  makers: ['NVIDIA', 'AMD', 'Intel'],
  serving: {
    title: 'SGLang',
    source: 'sglang 4fa3482, srt/model_executor/model_runner_kv_cache_mixin.py, _profile_available_bytes',
    shareKey: 'mem-fraction-static',
    // server_args.py computes one from the GPU, chunks and graphs.
    share: null,
    prefillTokens: () => 8192,
    sequences: () => 256,
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
  makers: ['NVIDIA', 'AMD', 'Intel'],
  serving: {
    title: 'Text Generation Inference',
    source: 'text-generation-inference, server/models/flash_causal_lm.py, warmup; utils/import_utils.py',
    shareKey: 'cuda-memory-fraction',
    share: 1,
    prefillTokens: () => 4096,
    sequences: () => 128,
    block: 1,
    cacheBytes: ({ totalBytes, contextBytes, peakBytes }, share) =>
      share * WIGGLE_ROOM * totalBytes - peakBytes - contextBytes,
  },
};

/** A server in Rust: its process does not have Python's host RAM. */
export const tei: FrameworkProfile<'tei'> = { ...usual, id: 'tei', isPython: false };
