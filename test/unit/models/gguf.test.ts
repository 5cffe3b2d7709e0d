import assert from 'node:assert/strict';
import { ggufName } from '../../../src/core/models/gguf';

describe('names of GGUF files', () => {
  const NAMES: readonly (readonly [name: string, base: string | null, mixture: string | null])[] = [
    ['bartowski/Meta-Llama-3-8B-Instruct-GGUF:Q4_K_M', 'Meta-Llama-3-8B-Instruct', 'Q4_K_M'],
    ['/models/llama-2-7b.Q4_0.gguf', 'llama-2-7b', 'Q4_0'],
    ['Qwen2.5-32B-Instruct-Q5_K_M-00001-of-00002.gguf', 'Qwen2.5-32B-Instruct', 'Q5_K_M'],
    ['gemma-2-9b-it-IQ3_M.gguf', 'gemma-2-9b-it', 'IQ3_M'],
    ['TheBloke/Mistral-7B-v0.1-GGUF', 'Mistral-7B-v0.1', null],
    ['Qwen3-8B-UD-Q4_K_XL.gguf', 'Qwen3-8B-UD-Q4_K_XL', null],
    ['model-f16.gguf', 'model', 'F16'],
    ['meta-llama/Meta-Llama-3-8B', null, null],
  ];
  for (const [name, base, mixture] of NAMES) {
    it(`${name} is ${base ?? 'none'}${mixture === null ? '' : ` in ${mixture}`}`, () => {
      assert.deepEqual(ggufName(name), base === null ? null : { base, mixture });
    });
  }
});
