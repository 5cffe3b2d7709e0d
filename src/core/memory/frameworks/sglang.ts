import type { FrameworkProfile } from './profile';
import { usual } from './usual';

/** The share is of what is free before the weights come, and holds weights and cache; activations come beside it. */
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
