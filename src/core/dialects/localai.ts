import type { Dialect } from './dialect';
import { localaiRuns } from './envelopes/localai';
import { count, word } from './engine/readers';
import type { RunReader } from './engine/runReader';
import { ggmlDtype, ggmlQuantization, ggmlSettings } from './shared/ggml';
import { numberAt, servingWriters, untrained } from './shared/serving';
import { llamacppForms } from '../data/forms/trainers';

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
 * LocalAI's models. With the backend vllm they are vLLM's runs; those of llama.cpp are files whose names say their
 * quantisation. mudler/LocalAI 82c191a, core/config/model_config.go.
 */
export const localai: Dialect = {
  id: 'localai',
  title: 'LocalAI',
  role: 'run',
  framework: { name: 'localai', version: '3.0.0' },
  loader: 'pyyaml',
  signature: {
    strong: [
      'config_file',
      'backend~^(?:llama-cpp|vllm|diffusers|transformers|sentencetransformers|whisper|sglang)',
      'known_usecases',
    ],
    medium: ['context_size', 'gpu_layers', 'f16', 'parameters.model', 'template'],
    weak: ['name', 'mmap'],
    against: ['apiVersion', 'model_list', 'learning_rate'],
    least: 5,
  },
  quantities: {
    model: { keys: ['parameters.model'], read: word },
    task: run => run.byCode('infer', 'LocalAI serves'),
    seqLen: {
      keys: ['context_size'],
      read: count,
      // What the file itself says, where it can be read (mudler/LocalAI 003e82b, core/config/gguf.go, guessGGUFFromFile).
      absent: run => run.none('core/config/gguf.go: the context that the file states'),
    },
    quantization: ggmlQuantization('parameters.model'),
    loadDtype: ggmlDtype,
    ...untrained,
    precision: run => run.none('kernels decide what they compute in'),
    precisionRaw: run => run.none('kernels decide what they compute in'),
    parallel: run => run.none('layers are shared out to the GPUs that there are'),
    devices: run => run.unknown('LocalAI takes all GPUs that it sees.'),
    accelerator: run => run.unknown('The image decides whether there is a GPU.'),
    strategy: run => run.none('layers are shared out to the GPUs that there are'),
  },
  details: {
    ggml: run => (servesGguf(run) ? ggmlSettings(KEYS)(run) : run.none('the backend is not llama.cpp')),
    prefillTokens: run =>
      run.has('batch')
        ? numberAt('batch', '')(run)
        : run.byDefault(512, 'core/config/model_config.go: batch'),
  },
  writers: servingWriters,
  launch: [
    {
      argv: ['local-ai', 'run', '--models-path', '{folder}'],
      source: 'localai.io, Model configuration: files of the models folder are models by their `name`',
    },
  ],
  logs: llamacppForms,
  help: {
    context_size: {
      text: 'Tokens of the longest sequence: keys and values are taken for all of them at once.',
      byDefault: 'what the file was made for',
    },
    gpu_layers: { text: 'Layers on the GPU; the others stay on the host.', byDefault: 'all' },
    f16: { text: 'Keys and values in 16 bits. The weights are what the file has.', byDefault: 'false' },
    gpu_memory_utilization: { text: 'vLLM’s share of the GPU.', byDefault: '0.92' },
  },
  compose: localaiRuns,
};
