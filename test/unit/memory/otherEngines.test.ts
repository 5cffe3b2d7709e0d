import assert from 'node:assert/strict';
import { judge } from '../core/support';

const MODEL = 'meta-llama/Llama-3.1-8B-Instruct';

async function served(command: string, gpu: string) {
  const { runs } = await judge({ 'run.sh': `#!/bin/sh\n${command}\n` }, gpu);
  const { estimate, findings, verdict } = runs[0] ?? assert.fail(command);
  const room = estimate?.devices[0]?.served ?? assert.fail(command);
  const messages = findings.map(({ rule, message }) => `${rule}: ${message}`);
  return { room, verdict, messages, text: messages.join('\n') };
}

describe('memory: engines besides vLLM, in their own words', () => {
  it('says why Text Generation Inference does not start', async () => {
    const long = await served(
      `text-generation-launcher --model-id ${MODEL} --max-input-tokens 130000 --max-total-tokens 131072`,
      'L4',
    );
    assert.equal(long.verdict, 'exceeds');
    assert.match(long.text, /server-cache-too-small: .*not enough memory to handle max_total_tokens=131,072/);
    assert.match(long.text, /Cap max-total-tokens at 31,/);
    assert.doesNotMatch(long.text, /max seq len|max_model_len|cache blocks/);
    const odd = await served(`text-generation-launcher --model-id ${MODEL} --num-shard 3`, 'H100 SXM');
    assert.equal(odd.room.refusal, 'heads');
  });

  it('promises what each release of Text Generation Inference does', async () => {
    const image = 'docker run --gpus all ghcr.io/huggingface/text-generation-inference:';
    const two = await served(`${image}2.4.0 --model-id ${MODEL}`, 'L4');
    assert.equal(two.room.context, 4096);
    const three = await served(`${image}3.3.4 --model-id ${MODEL}`, 'L4');
    assert.equal(three.room.context, 131_072);
    // It starts, and answers what the cache holds.
    assert.equal(three.room.cutsRequests, true);
    assert.match(three.text, /server-cuts-requests: Requests end at/);
  });

  it('warms Text Generation Inference up with what the GPU computes in a second', async () => {
    // launcher/src/main.rs: 121 TFLOP/s over 2 products for each of 7.5 billion weights; 4,096 on other GPUs.
    const tokensOn = async (gpu: string): Promise<number> => {
      const { room } = await served(
        `text-generation-launcher --model-id ${MODEL} --max-total-tokens 8192`,
        gpu,
      );
      return room.activationBytes;
    };
    const [known, unknown] = [await tokensOn('L4'), await tokensOn('RTX 4090')];
    assert.ok(known > 1.7 * unknown && known < 2.3 * unknown, `${known} ${unknown}`);
  });

  it('says why SGLang does not start, by its release', async () => {
    const command = `python -m sglang.launch_server --model-path ${MODEL}`;
    const long = await served(`${command} --context-length 262144`, 'H100 SXM');
    assert.match(long.text, /context_length 262,144 is above the model's 131,072/);
    assert.match(long.text, /SGLANG_ALLOW_OVERWRITE_LONGER_CONTEXT_LEN=1/);
    const before = await served(`pip install sglang==0.4.6\n${command} --context-length 262144`, 'H100 SXM');
    assert.equal(before.room.refusal, null);
    const odd = await served(`${command} --tp 3`, 'H100 SXM');
    assert.equal(odd.room.refusal, 'heads');
    const low = await served(`${command} --mem-fraction-static 0.1`, 'H100 SXM');
    assert.match(low.text, /mem_fraction_static is too low.*Raise mem-fraction-static to 0\.4/);
  });

  it('caps SGLang’s cache at its own key', async () => {
    const { room, text } = await served(
      `python -m sglang.launch_server --model-path ${MODEL} --max-total-tokens 20000`,
      'H100 SXM',
    );
    assert.equal(room.tokens, 20_000);
    assert.match(text, /Requests end at 20,000 of 131,072 tokens: .* Raise max-total-tokens to 131,072\./);
  });
});
