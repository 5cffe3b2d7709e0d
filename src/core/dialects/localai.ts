import { embedded } from './command/located';
import { nodeAt, entriesOf, rootOf, textAt } from './command/nodes';
import { layerOf, layerOfDocument, mapOf } from './engine/settings';
import { alone } from './engine/compose';
import type { Composition, Layer } from './engine/compose';
import { flagsIn } from './vllm/keys';
import { builtIn } from './defined/compile';
import file from './localai.yaml';
import type { Dialect } from './dialect';
import type { RunReader } from './engine/runReader';
import { ggmlSettings } from './shared/ggml';

/** A gallery entry contains the config as a text. */
function localaiRuns(opened: Layer): Promise<readonly Composition[]> {
  const text = nodeAt(rootOf(opened), 'config_file');
  const document = text?.kind === 'scalar' ? embedded(text, opened.yaml) : null;
  return Promise.resolve([runOf(document ? layerOfDocument(opened, document, null) : opened)]);
}

/** `backend: vllm` passes its keys on. */
function runOf(config: Layer): Composition {
  const root = rootOf(config);
  if (!root || textAt(root, 'backend') !== 'vllm') return alone(config);
  const model = entriesOf(nodeAt(root, 'parameters')).find(({ key }) => key === 'model');
  const settings = [
    ...flagsIn(root, []).filter(({ path: [key] }) => key !== 'parameters' && key !== 'template'),
    ...(model
      ? [{ path: ['model'], keySpan: model.keySpan, value: model.value, from: ['parameters', 'model'] }]
      : []),
  ];
  return { name: '', dialect: 'vllm', layers: [layerOf(config, mapOf(settings, root.span), null)] };
}

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
