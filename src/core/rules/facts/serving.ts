import { template } from '../../text/say';
import type { Facts } from '../fact';

const VLLM = `model: Qwen/Qwen3-8B
max-model-len: 8192
gpu-memory-utilization: 0.9
`;

const SGLANG = `model-path: Qwen/Qwen3-8B
mem-fraction-static: 0.8
`;

const TEI = `model-id: Qwen/Qwen3-Embedding-0.6B
max-client-batch-size: 64
`;

/** Pitfalls of serving; sources are vllm 002f10e0, sglang 004813e1 and text-embeddings-inference 0d124dc. */
export const servingFacts: Facts = {
  dialects: ['vllm', 'sglang', 'tei'],
  facts: [
    {
      id: 'vllm-share-above-one',
      severity: 'error',
      summary: 'The GPU share for vLLM is more than 100 %.',
      when: { above: { 'gpu-memory-utilization': 1 } },
      at: ['gpu-memory-utilization'],
      message: template(
        '{gpu-memory-utilization} must be above 0 and at most 1, so the server rejects this. Write 0.9 for 90 %.',
      ),
      meaning: 'The share is a fraction, not a percentage or a number of GiB.',
      advice: 'Write a fraction, such as `gpu-memory-utilization: 0.9`.',
      source: 'vllm/config/cache.py: gpu_memory_utilization, gt=0, le=1',
      example: VLLM.replace('0.9', '90'),
      counterexample: VLLM,
    },
    {
      id: 'sglang-total-tokens',
      severity: 'information',
      summary: '`max-total-tokens` caps SGLang’s pool even where more fits.',
      when: { stated: ['max-total-tokens', 'model-path'] },
      at: ['max-total-tokens'],
      message: template(
        '{max-total-tokens} caps the KV cache below mem-fraction-static. It is meant for debugging. Remove it, and the KV cache uses what fits.',
      ),
      meaning: 'With fewer tokens in the pool, fewer sequences run at a time, and memory stays unused.',
      advice: 'Remove `max-total-tokens`; lower `mem-fraction-static` if memory is short.',
      source: 'sglang docs/advanced_features/server_arguments.md: max-total-tokens',
      example: `${SGLANG}max-total-tokens: 4096\n`,
      counterexample: SGLANG,
    },
    {
      id: 'tei-client-batch',
      severity: 'information',
      summary: "`max-client-batch-size` isn't a batch size of the GPU.",
      when: { stated: ['max-client-batch-size', 'model-id'], absent: ['max-batch-tokens'] },
      at: ['max-client-batch-size'],
      message: template(
        '{max-client-batch-size} limits the texts per request and needs no GPU memory. The GPU batch is max-batch-tokens, 16384 by default.',
      ),
      meaning: 'The server forms its own batches from all requests, by tokens.',
      advice: 'Set `max-batch-tokens` to limit memory.',
      source: 'text-embeddings-inference router/src/main.rs L73, L81',
      example: TEI,
      counterexample: `${TEI}max-batch-tokens: 8192\n`,
    },
  ],
};
