import assert from 'node:assert/strict';
import { judge } from '../core/support';

const MODEL = 'Qwen/Qwen2.5-7B-Instruct';

async function served(command: string, gpu = 'H100 SXM') {
  const { runs } = await judge({ 'serve.sh': `${command}\n` }, gpu);
  const device = runs[0]?.estimate?.devices[0];
  return { run: runs[0]?.run ?? assert.fail(command), device, room: device?.served };
}

describe('dialects: LMDeploy', () => {
  it('is read from its command and its image', async () => {
    const flags = '--tp 2 --session-len 8192 --cache-max-entry-count 0.5 --max-batch-size 64';
    const docker = `docker run --gpus all openmmlab/lmdeploy:v0.9.2 lmdeploy serve api_server ${MODEL} ${flags}`;
    for (const command of [`lmdeploy serve api_server ${MODEL} ${flags}`, docker]) {
      const { run } = await served(command);
      const { quantities, details } = run;
      assert.equal(quantities.model.value, MODEL);
      assert.equal(quantities.seqLen.value, 8192);
      assert.equal(quantities.parallel.value?.tensor, 2);
      assert.equal(details.memoryShare?.value, 0.5);
      assert.equal(details.maxSequences?.value, 64);
    }
  });

  it('fills a share of what the weights leave', async () => {
    const [usual, half] = [
      await served(`lmdeploy serve api_server ${MODEL}`),
      await served(`lmdeploy serve api_server ${MODEL} --cache-max-entry-count 0.4`),
    ];
    assert.ok(usual.room && half.room && usual.device);
    assert.equal(usual.room.share, 0.8);
    assert.ok(Math.abs(usual.room.cacheBytes / half.room.cacheBytes - 2) < 0.001);
    const free = (usual.device.usableBytes ?? 0) - usual.room.weightsBytes;
    assert.ok(Math.abs(usual.room.cacheBytes / free - 0.8) < 0.02);
  });

  it('keeps a scale and a zero next to each key and value of 8 or 4 bits', async () => {
    const perToken = await Promise.all(
      ['', '--quant-policy 8', '--quant-policy 4'].map(async policy => {
        const { room } = await served(`lmdeploy serve api_server ${MODEL} ${policy}`);
        return room ? room.cacheBytes / room.tokens : 0;
      }),
    );
    // Qwen2.5 7B: 28 layers, 4 heads of 128.
    const expected = [16, 8, 4].map(bits => 28 * 2 * 4 * ((128 * bits) / 8 + (bits < 16 ? 4 : 0)));
    for (const [i, bytes] of perToken.entries()) {
      assert.ok(Math.abs(bytes / (expected[i] ?? 0) - 1) < 0.001, `${bytes} of ${expected[i]}`);
    }
  });

  it('shortens requests instead of refusing to start', async () => {
    const { room, device } = await served(
      `lmdeploy serve api_server ${MODEL} --session-len 32768 --cache-max-entry-count 0.1`,
      'RTX 4090',
    );
    assert.equal(room?.cutsRequests, true);
    assert.notEqual(device?.verdict, 'exceeds');
  });
});

describe('dialects: TensorRT-LLM', () => {
  const SERVE = 'trtllm-serve meta-llama/Llama-3.1-8B-Instruct --max_batch_size 64 --max_seq_len 8192';

  it('is read from its command, behind a launcher too', async () => {
    const flags = '--tp_size 2 --max_num_tokens 4096 --kv_cache_free_gpu_memory_fraction 0.8';
    for (const before of ['', '#!/bin/bash\nmpirun -n 2 ', '#!/bin/bash\ntrtllm-llmapi-launch ']) {
      const { run } = await served(`${before}${SERVE} ${flags}`);
      assert.equal(run.dialect, 'tensorrt-llm');
      assert.equal(run.quantities.model.value, 'meta-llama/Llama-3.1-8B-Instruct');
      assert.equal(run.quantities.seqLen.value, 8192);
      assert.equal(run.quantities.parallel.value?.tensor, 2);
      assert.equal(run.details.memoryShare?.value, 0.8);
      assert.equal(run.details.maxSequences?.value, 64);
      assert.equal(run.details.prefillTokens?.value, 4096);
    }
    const { run } = await served(SERVE.replace('serve ', 'serve serve '));
    assert.equal(run.quantities.model.value, 'meta-llama/Llama-3.1-8B-Instruct');
  });

  it('fills a share of what the weights and a pass leave', async () => {
    const [usual, half] = [await served(SERVE), await served(`${SERVE} --free_gpu_memory_fraction 0.45`)];
    assert.ok(usual.room && half.room && usual.device);
    assert.equal(usual.room.share, 0.9);
    assert.ok(Math.abs(usual.room.cacheBytes / half.room.cacheBytes - 2) < 0.001);
    assert.ok(usual.room.cacheBytes < 0.9 * ((usual.device.usableBytes ?? 0) - usual.room.weightsBytes));
  });
});
