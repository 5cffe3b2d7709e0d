import { builtIn } from './defined/compile';
import file from './llamacpp.yaml';
import type { Dialect } from './dialect';
import { ggmlQuantization, ggmlSettings } from './shared/ggml';
import { numberAt, servingWriters } from './shared/serving';

const SOURCE = 'common/common.h';

/** llama.cpp's server, as commands and environments start it: it reads no YAML; its flags may still stand in one that a
 * program of the user's own hands on. ggml-org/llama.cpp 001d906, common/arg.cpp and common/common.h. */
export const llamacpp: Dialect = builtIn(file, {
  quantities: {
    seqLen: run => {
      const context = run.count('ctx-size');
      return context === null || context === 0
        ? run.none(`${SOURCE}: n_ctx is 0, the context that the model was made for`)
        : run.at('ctx-size', context);
    },
    quantization: ggmlQuantization('model'),
  },
  details: {
    ggml: ggmlSettings({
      model: 'model',
      layers: ['n-gpu-layers'],
      flash: ['flash-attn'],
      keys: ['cache-type-k'],
      values: ['cache-type-v'],
      hostCache: ['no-kv-offload'],
      wholeWindows: ['swa-full'],
      usualLayers: null,
    }),
    maxSequences: numberAt('parallel', `${SOURCE}: n_parallel is 1`),
    prefillTokens: run =>
      run.has('ubatch-size') ? numberAt('ubatch-size', '')(run) : run.byDefault(512, `${SOURCE}: n_ubatch`),
  },
  writers: servingWriters,
});
