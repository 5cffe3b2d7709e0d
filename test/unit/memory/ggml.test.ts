import assert from 'node:assert/strict';
import { cacheOf, computeBuffer, isWindowed } from '../../../src/core/memory/ggml/buffers';
import { weightsIn } from '../../../src/core/memory/ggml/file';
import { modelOf } from './support';

const MIB = 2 ** 20;

const llama = (changes: Readonly<Record<string, unknown>>): ReturnType<typeof modelOf> =>
  modelOf({
    model_type: 'llama',
    hidden_size: 4096,
    intermediate_size: 14336,
    num_hidden_layers: 32,
    num_attention_heads: 32,
    num_key_value_heads: 8,
    vocab_size: 128256,
    tie_word_embeddings: false,
    ...changes,
  });

const LLAMA_3_8B = llama({});
const LLAMA_3_70B = llama({
  hidden_size: 8192,
  intermediate_size: 28672,
  num_hidden_layers: 80,
  num_attention_heads: 64,
});
const LLAMA_2_7B = llama({ intermediate_size: 11008, num_key_value_heads: 32, vocab_size: 32000 });
const MISTRAL = llama({ vocab_size: 32000 });

describe('GGUF files', () => {
  /** llama.cpp's output when it loaded such files: the table on the CPU, everything else on the GPU; MiB. */
  const PRINTED = [
    // distilabel issue 593
    { model: LLAMA_3_8B, mixture: 'Q8_0', words: null, gpu: 7605.34 },
    // A log of llama.cpp's RPC server with a RTX 4090: 19142.56 + 18764.46 on two devices, 563.65 on the CPU.
    { model: LLAMA_3_70B, mixture: 'Q4_K_S', words: 563.65, gpu: 37907.02 },
    { model: LLAMA_2_7B, mixture: 'Q4_0', words: 70.31, gpu: 3577.56 },
    { model: MISTRAL, mixture: 'Q4_K_M', words: 70.31, gpu: 4095.05 },
  ];
  for (const { model, mixture, words, gpu } of PRINTED) {
    it(`of ${mixture} with ${model.layers} layers are as large as llama.cpp says`, () => {
      const weights = weightsIn(mixture, model);
      assert.ok(weights);
      const onGpu = weights.layers.reduce((sum, bytes) => sum + bytes, weights.output) / MIB;
      assert.ok(Math.abs(onGpu - gpu) < 0.2, `${onGpu}`);
      if (words !== null) assert.ok(Math.abs(weights.words / MIB - words) < 0.1, `${weights.words / MIB}`);
    });
  }
});

describe("llama.cpp's buffers", () => {
  const f16 = {
    sequences: 1,
    unified: true,
    pass: 512,
    keys: 'F16',
    values: 'F16',
    wholeWindows: false,
  } as const;

  /** Compute buffers in llama.cpp's logs, in MiB. */
  const COMPUTE = [
    // logdetective, pull request 106: a Mistral 7B at two contexts.
    { model: MISTRAL, context: 2048, flash: false, printed: 164 },
    { model: MISTRAL, context: 32768, flash: false, printed: 2144 },
    { model: LLAMA_3_70B, context: 8192, flash: false, printed: 1104 },
    { model: LLAMA_2_7B, context: 512, flash: false, printed: 70.5 },
  ];
  for (const { model, context, flash, printed } of COMPUTE) {
    it(`take ${printed} MiB for a pass over ${context} cells of ${model.layers} layers`, () => {
      assert.equal(computeBuffer({ ...f16, model, context, flash }) / MIB, printed);
    });
  }

  it('hold keys and values of the 32 layers of a 7B in 256 MiB for 512 cells', () => {
    const served = { ...f16, model: LLAMA_2_7B, context: 512, flash: false };
    const all = LLAMA_2_7B.layers * cacheOf(served, 0);
    assert.equal(all / MIB, 256);
  });

  it('hold no more than a window and a pass for layers that look no further', () => {
    // A log of Gemma 3 1B with -c 1536 -ub 64 -ngl 14: two layers in 3.00 MiB, eleven with windows in 8.25 MiB.
    const gemma = llama({
      model_type: 'gemma3_text',
      num_hidden_layers: 26,
      num_attention_heads: 4,
      num_key_value_heads: 1,
      head_dim: 256,
      sliding_window: 512,
      sliding_window_pattern: 6,
    });
    const served = { ...f16, model: gemma, context: 1536, pass: 64, flash: false };
    const last = Array.from({ length: 13 }, (_, i) => 13 + i);
    const sum = (windowed: boolean): number =>
      last
        .filter(layer => isWindowed(gemma, layer) === windowed)
        .reduce((all, layer) => all + cacheOf(served, layer), 0);
    assert.deepEqual([sum(false) / MIB, sum(true) / MIB], [3, 8.25]);
  });
});
