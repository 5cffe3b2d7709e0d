import type { Dialect } from './dialect';
import { word } from './engine/readers';
import { ggmlDtype, ggmlQuantization, ggmlSettings } from './shared/ggml';
import { numberAt, servingWriters, untrained } from './shared/serving';
import { llamacppForms } from '../data/forms/trainers';

const SOURCE = 'common/common.h';

/**
 * llama.cpp's server, as commands and environments start it: it reads no YAML; its flags may still stand in one that a
 * program of the user's own hands on. ggml-org/llama.cpp 001d906, common/arg.cpp and common/common.h.
 */
export const llamacpp: Dialect = {
  id: 'llamacpp',
  title: 'llama.cpp',
  role: 'run',
  framework: { name: 'llama.cpp', version: 'b7400' },
  loader: 'pyyaml',
  signature: {
    strong: ['n-gpu-layers', 'gpu-layers', 'ubatch-size', 'cache-type-k', 'cache-type-v', 'hf-repo'],
    medium: ['ctx-size', 'flash-attn', 'model~gguf'],
    weak: ['model', 'port', 'host', 'parallel'],
    against: ['apiVersion', 'learning_rate', 'gpu-memory-utilization', 'services', 'backend'],
    least: 6,
  },
  quantities: {
    model: { keys: ['model'], read: word },
    task: run => run.byCode('infer', 'llama-server generates'),
    seqLen: run => {
      const context = run.count('ctx-size');
      return context === null || context === 0
        ? run.none(`${SOURCE}: n_ctx is 0, the context that the model was made for`)
        : run.at('ctx-size', context);
    },
    precision: run => run.none('kernels decide what they compute in'),
    precisionRaw: run => run.none('kernels decide what they compute in'),
    loadDtype: ggmlDtype,
    quantization: ggmlQuantization('model'),
    parallel: run => run.none('layers are shared out to the GPUs that there are'),
    ...untrained,
    devices: run => run.unknown('llama.cpp takes all GPUs that it sees.'),
    accelerator: run => run.byCode('cuda', 'the image is built for CUDA'),
    strategy: run => run.none('layers are shared out to the GPUs that there are'),
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
  launch: [{ argv: ['llama-server', '--model', '{model}'], source: 'tools/server/README.md' }],
  logs: llamacppForms,
  help: {
    'n-gpu-layers': {
      text: 'Layers whose weights and cache lie on GPUs; the others stay on the host.',
      byDefault: 'what fits, with 1 GiB to spare',
    },
    'ctx-size': {
      text: 'Tokens of the cache, of all sequences together: taken at once when the server starts.',
      byDefault: 'what the model was made for',
    },
    'ubatch-size': {
      text: 'Tokens of one pass: its buffer grows with it, logits above all.',
      byDefault: '512',
    },
    'cache-type-k': {
      text: 'What keys are kept in.',
      values: ['f32', 'f16', 'bf16', 'q8_0', 'q4_0', 'q4_1', 'q5_0', 'q5_1', 'iq4_nl'],
    },
    'cache-type-v': {
      text: 'What values are kept in; fewer bits want flash attention.',
      values: ['f32', 'f16', 'bf16', 'q8_0', 'q4_0', 'q4_1', 'q5_0', 'q5_1', 'iq4_nl'],
    },
    'flash-attn': {
      text: 'Without it the scores of all heads over the whole context are in the buffer of a pass.',
      byDefault: 'where it can',
    },
  },
};
