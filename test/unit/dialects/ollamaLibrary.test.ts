import assert from 'node:assert/strict';
import library from '../../../src/core/data/ollamaLibrary.json';
import { libraryFile } from '../../../src/core/dialects/ollama';
import { theModel } from '../../fixtures/llamacpp/served';
import { sparseGguf } from '../../fixtures/llamacpp/sparseGguf';
import { judge } from '../core/support';

describe("names of Ollama's library", () => {
  it('stand for files of the sizes that it shows', () => {
    for (const [name, { model, mixture, gigabytes }] of Object.entries(library.models)) {
      const { bytes } = sparseGguf(theModel(model), mixture);
      assert.ok(Math.abs(bytes / 1e9 / gigabytes - 1) < 0.035, `${name}: ${bytes / 1e9} for ${gigabytes}`);
    }
  });

  it('have a tag, the latest one, or one that says only what it was trained for', () => {
    assert.equal(libraryFile('llama3.2'), 'meta-llama/Llama-3.2-3B:Q4_K_M');
    assert.equal(libraryFile('llama3.2:latest'), 'meta-llama/Llama-3.2-3B:Q4_K_M');
    assert.equal(libraryFile('llama3.2:1b-instruct'), 'meta-llama/Llama-3.2-1B:Q8_0');
    for (const name of [
      'llama3.2:3b-instruct-q4_1',
      'mistral',
      'llama3.2:7b',
      './my.gguf',
      'hf.co/a/b:Q4_0',
    ]) {
      assert.equal(libraryFile(name), name);
    }
    for (const [model, tag] of Object.entries(library.latest)) {
      assert.ok(`${model}:${tag}` in library.models, model);
    }
  });

  it('give an answer where the context is stated', async () => {
    const { runs } = await judge({ Modelfile: 'FROM llama3.2\nPARAMETER num_ctx 8192\n' }, 'RTX 4090');
    const terms = runs[0]?.estimate?.devices[0]?.terms ?? [];
    const cache = terms.find(({ term }) => term === 'kv cache')?.bytes;
    assert.equal(cache, 8192 * 28 * 8 * 128 * 2 * 2);
  });
});

describe('llama-cpp-python', () => {
  const served = async (call: string, gpu = 'A100 80GB') => {
    const { runs } = await judge({ 'serve.py': `from llama_cpp import Llama\nllm = ${call}\n` }, gpu);
    return runs[0]?.estimate?.devices[0]?.terms.find(({ term }) => term === 'kv cache')?.bytes ?? null;
  };
  const file = 'model_path="gemma-3-27b-it-Q4_K_M.gguf", n_ctx=32768, n_gpu_layers=-1, flash_attn=True';

  it('keeps all cells of layers with a window, unless it is told not to', async () => {
    assert.equal(await served(`Llama(${file})`), 62 * 32_768 * 16 * 128 * 2 * 2);
    const narrow = await served(`Llama(${file}, swa_full=False)`);
    assert.ok(narrow !== null && narrow < 4 * 2 ** 30, `${narrow}`);
  });

  it('takes a file of a repository, by a pattern', async () => {
    const call =
      'Llama.from_pretrained(repo_id="bartowski/gemma-2-9b-it-GGUF", filename="*Q4_K_M.gguf", n_gpu_layers=-1)';
    assert.equal(await served(call), 42 * 512 * 8 * 256 * 2 * 2);
  });
});
