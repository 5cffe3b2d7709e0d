import assert from 'node:assert/strict';
import { judge } from '../core/support';

describe('dialects: programs that start a server with defaults of their own', () => {
  it('takes the share of TRL’s server, whatever vLLM’s own is', async () => {
    for (const start of [
      'trl vllm-serve',
      'python -m trl.scripts.vllm_serve',
      'python trl/scripts/vllm_serve.py',
    ]) {
      const { runs } = await judge({ 'a.sh': `#!/bin/sh\n${start} --model Qwen/Qwen3-8B\n` }, null);
      const { details, quantities } = runs[0]?.run ?? assert.fail(start);
      assert.equal(quantities.model.value, 'Qwen/Qwen3-8B', start);
      assert.equal(details.memoryShare?.value, 0.9, start);
      assert.match(JSON.stringify(details.memoryShare.origin), /vllm_serve\.py/, start);
    }
    const stated = '#!/bin/sh\ntrl vllm-serve --model a/b-7b --gpu_memory_utilization 0.5\n';
    assert.equal((await judge({ 'a.sh': stated }, null)).runs[0]?.run.details.memoryShare?.value, 0.5);
  });

  it('reads llama-cpp-python’s server: 2,048 tokens and no layer on the GPU', async () => {
    const read = async (flags: string) => {
      const text = `#!/bin/sh\npython3 -m llama_cpp.server ${flags}\n`;
      const { quantities, details } =
        (await judge({ 'a.sh': text }, null)).runs[0]?.run ?? assert.fail(flags);
      return { quantities, ggml: details.ggml?.value ?? assert.fail(flags) };
    };
    const bare = await read('--model a-Q4_K_M.gguf');
    assert.deepEqual([bare.quantities.seqLen.value, bare.ggml.gpuLayers], [2048, 0]);
    assert.deepEqual([bare.ggml.batch, bare.ggml.wholeWindows, bare.ggml.flashAttention], [512, true, false]);
    // -1 is all layers here, and what fits for llama-server.
    const all = await read('--model a-Q4_K_M.gguf --n_gpu_layers -1 --n_ctx 8192 --offload_kqv False');
    assert.deepEqual([all.quantities.seqLen.value, all.ggml.cacheOnGpu], [8192, false]);
    assert.equal(all.ggml.gpuLayers, Number.MAX_SAFE_INTEGER);
    const hub = await read("--hf_model_repo_id a/b-GGUF --model '*q8_0.gguf'");
    assert.deepEqual([hub.quantities.model.value, hub.ggml.file], ['a/b-GGUF', 'Q8_0']);
  });

  it('takes the file of a repository that the command of llama.cpp names', async () => {
    const read = async (flags: string) => {
      const text = `#!/bin/sh\nllama-server ${flags}\n`;
      const { quantities, details } =
        (await judge({ 'a.sh': text }, null)).runs[0]?.run ?? assert.fail(flags);
      const { value, origin } = quantities.quantization;
      return [value?.type ?? null, origin.kind, details.ggml?.value?.file ?? null];
    };
    assert.deepEqual(await read('-hf a/b-GGUF:Q8_0'), ['Q8_0', 'file', 'Q8_0']);
    assert.deepEqual(await read('-hf a/b-GGUF -hff b-Q6_K.gguf'), ['Q6_K', 'file', 'Q6_K']);
    assert.deepEqual(await read('-m models/b.gguf'), [null, 'unresolved', null]);
  });
});
