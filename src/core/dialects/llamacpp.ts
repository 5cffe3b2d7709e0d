import { builtIn } from './defined/compile';
import file from './llamacpp.yaml';
import type { Dialect } from './dialect';
import { ggmlSettings } from './shared/ggml';

/**
 * llama.cpp's server, started by commands and environments: it reads no YAML, but a user's own program may pass
 * flags from one. ggml-org/llama.cpp 001d906, common/arg.cpp and common/common.h.
 */
export const llamacpp: Dialect = builtIn(file, {
  details: {
    ggml: ggmlSettings({
      model: 'model',
      file: 'hf-file',
      layers: ['n-gpu-layers'],
      flash: ['flash-attn'],
      keys: ['cache-type-k'],
      values: ['cache-type-v'],
      hostCache: ['no-kv-offload'],
      gpuCache: ['offload-kqv'],
      allAtMinusOne: ['minus-one-is-all'],
      wholeWindows: ['swa-full'],
      unified: ['kv-unified'],
      batch: ['batch-size'],
      hostExperts: ['n-cpu-moe'],
      allHostExperts: ['cpu-moe', 'override-tensor'],
      usualLayers: null,
    }),
  },
});
