import { builtIn } from './defined/compile';
import file from './llamacpp.yaml';
import type { Dialect } from './dialect';
import { ggmlQuantization, ggmlSettings } from './shared/ggml';

/** A repository without a file stands for this mixture: `-hf owner/name`. */
const repositoryFile = (name: string): string =>
  /^[\w.-]{1,100}\/[\w.-]{1,100}$/.test(name) && !name.endsWith('.gguf') && /gguf/i.test(name)
    ? `${name}:Q4_K_M`
    : name;

const USUAL = 'common/arg.cpp: -hf takes Q4_K_M, or the first file of a repository without it';

/**
 * llama.cpp's server, started by commands and environments: it reads no YAML, but a user's own program may pass
 * flags from one. ggml-org/llama.cpp 001d906, common/arg.cpp and common/common.h.
 */
export const llamacpp: Dialect = builtIn(file, {
  quantities: { quantization: ggmlQuantization(['hf-file', 'model'], repositoryFile, USUAL) },
  details: {
    ggml: ggmlSettings({
      model: 'model',
      named: repositoryFile,
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
