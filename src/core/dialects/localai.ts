import type { Dialect } from './dialect';
import { localaiRuns } from './envelopes/localai';
import { count, word } from './engine/readers';

/**
 * LocalAI's models. With the backend vllm they are vLLM's runs; those of llama.cpp are files whose names say their
 * quantisation, which no estimate is made of. mudler/LocalAI 82c191a, core/config/model_config.go.
 */
export const localai: Dialect = {
  id: 'localai',
  title: 'LocalAI',
  role: 'part',
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
    seqLen: { keys: ['context_size'], read: count },
    accelerator: run => run.unknown('The image decides whether there is a GPU.'),
  },
  help: {
    context_size: {
      text: 'Tokens of the longest sequence: keys and values are taken for all of them at once.',
      byDefault: '4096, or what fits',
    },
    gpu_layers: { text: 'Layers on the GPU; the others stay on the host.', byDefault: 'all' },
    f16: { text: 'Keys and values in 16 bits. The weights are what the file has.', byDefault: 'false' },
    gpu_memory_utilization: { text: 'vLLM’s share of the GPU.', byDefault: '0.92' },
  },
  compose: localaiRuns,
};
