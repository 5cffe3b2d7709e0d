import library from '../data/ollamaLibrary.json';
import type { Quantity } from '../spec/quantity';
import { builtIn } from './defined/compile';
import type { Dialect } from './dialect';
import type { RunReader } from './engine/runReader';
import file from './ollama.yaml';
import { ggmlQuantization, ggmlSettings } from './shared/ggml';

const LIBRARY: ReadonlyMap<string, { readonly model: string; readonly mixture: string }> = new Map(
  Object.entries(library.models),
);
const LATEST: ReadonlyMap<string, string> = new Map(Object.entries(library.latest));

/**
 * The file of a name in Ollama's library, as repository and mixture: `llama3.2`, `llama3.2:3b-instruct`. The name itself
 * where the table does not have it: its tag states a mixture, or nobody knows it.
 */
export function libraryFile(name: string): string {
  const [model = '', tag = 'latest'] = name.trim().toLowerCase().split(':');
  const size = tag === 'latest' ? LATEST.get(model) : tag.replace(/-(?:instruct|chat|text|it)$/, '');
  const found = LIBRARY.get(`${model}:${size}`);
  return found ? `${found.model}:${found.mixture}` : name;
}

function model(run: RunReader): Quantity<string> {
  const name = run.word('model');
  if (name === null) return run.unknown('No model is named.');
  const known = libraryFile(name);
  return known === name
    ? run.at('model', name)
    : run.derived(known, ['model'], `${name} of Ollama’s library`);
}

/** Ollama's models: GGUF files whose cache holds `num_ctx` tokens for each of the requests at once (llm/server.go). */
export const ollama: Dialect = builtIn(file, {
  quantities: { model, quantization: ggmlQuantization(['model'], libraryFile) },
  details: {
    ggml: ggmlSettings({
      model: 'model',
      named: libraryFile,
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
