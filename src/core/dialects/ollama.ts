import { builtIn } from './defined/compile';
import file from './ollama.yaml';
import type { Dialect } from './dialect';
import { ggmlSettings } from './shared/ggml';

/** Ollama's models: GGUF files whose cache holds `num_ctx` tokens for each of the requests at once (llm/server.go). */
export const ollama: Dialect = builtIn(file, {
  details: {
    ggml: ggmlSettings({
      model: 'model',
      layers: ['num-gpu'],
      flash: ['flash-attention'],
      keys: ['kv-cache-type'],
      values: ['kv-cache-type'],
      hostCache: [],
      wholeWindows: [],
      isPerSequence: true,
      usualLayers: null,
    }),
  },
});
