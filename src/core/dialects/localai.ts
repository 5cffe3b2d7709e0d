import { builtIn } from './defined/compile';
import file from './localai.yaml';
import type { Dialect } from './dialect';
import { localaiRuns } from './envelopes/localai';
import type { RunReader } from './engine/runReader';
import { ggmlSettings } from './shared/ggml';

const KEYS = {
  model: 'parameters.model',
  layers: ['gpu_layers'],
  flash: ['flash_attention'],
  keys: ['cache_type_k'],
  values: ['cache_type_v'],
  hostCache: ['no_kv_offloading'],
  wholeWindows: ['swa_full'],
  // core/config/gguf.go: defaultNGPULayers.
  usualLayers: 99_999_999,
} as const;

/** Without a backend, or with llama.cpp's, a model is a GGUF file. */
function servesGguf(run: RunReader): boolean {
  const backend = run.word('backend');
  return backend === null || /^(?:cuda\d*-)?llama/.test(backend);
}

/**
 * LocalAI's models. With the backend vllm they are vLLM runs; those of llama.cpp are files whose names tell the
 * quantization. mudler/LocalAI 82c191a, core/config/model_config.go.
 */
export const localai: Dialect = builtIn(file, {
  details: {
    ggml: run => (servesGguf(run) ? ggmlSettings(KEYS)(run) : run.none('the backend is not llama.cpp')),
  },
  compose: localaiRuns,
});
