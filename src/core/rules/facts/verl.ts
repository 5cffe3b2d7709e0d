import { template } from '../../text/say';
import type { Facts } from '../fact';

const config = (actor: string, more = ''): string => `data:
  max_prompt_length: 512
  max_response_length: 512
  train_batch_size: 1024
actor_rollout_ref:
  model:
    path: Qwen/Qwen2.5-7B-Instruct
  actor:
    ppo_mini_batch_size: 256
${actor}  rollout:
    name: vllm
${more}trainer:
  n_gpus_per_node: 8
  nnodes: 1
`;

const MICRO = '    ppo_micro_batch_size_per_gpu: 4\n';
const PER_GPU = 'actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu';
const OLD = 'actor_rollout_ref.actor.ppo_micro_batch_size';
const FREE = 'actor_rollout_ref.rollout.free_cache_engine';

/** Pitfalls of verl; sources are files of volcengine/verl b178a3c (0.8.0.dev). */
export const verlFacts: Facts = {
  dialects: ['verl'],
  facts: [
    {
      id: 'verl-micro-batch-twice',
      severity: 'error',
      summary: 'The old and new keys of the micro-batch size cannot be combined.',
      when: { stated: [PER_GPU, OLD] },
      at: [OLD, PER_GPU],
      message: template(
        `{${OLD}} and {${PER_GPU}} cannot be combined. The first counts over all GPUs, the second per GPU. Remove the first.`,
      ),
      meaning: 'The old key is deprecated. With both keys, verl can’t decide.',
      advice: 'Keep `ppo_micro_batch_size_per_gpu`.',
      source: 'verl/utils/config.py L142',
      example: config(`${MICRO}    ppo_micro_batch_size: 32\n`),
      counterexample: config(`${MICRO}    ppo_micro_batch_size: null\n`),
    },
    {
      id: 'verl-engine-keeps-memory',
      severity: 'information',
      summary: 'The rollout engine keeps its share of the GPU while the actor trains.',
      when: { stated: [FREE], off: [FREE] },
      at: [FREE],
      message: template(
        `{${FREE}} keeps rollout weights and cache on the GPU. They use gpu_memory_utilization of its memory during training.`,
      ),
      meaning:
        'By default, the engine frees its memory before training and allocates it again for generation.',
      advice: 'Set `free_cache_engine: True` unless there is memory for both.',
      set: { key: FREE, to: true },
      source: 'trainer/config/rollout/rollout.yaml: free_cache_engine',
      example: config(MICRO, '    free_cache_engine: False\n'),
      counterexample: config(MICRO, '    free_cache_engine: True\n'),
    },
  ],
};
