import type { KeyHelp } from '../dialect';
import { FLAG } from '../shared/switches';

/** What NeMo-RL's keys do to memory; sources as in the dialect's table. Defaults are those of the file beneath. */
export const nemoRlHelp: Readonly<Record<string, KeyHelp>> = {
  'policy.train_micro_batch_size': {
    text: 'Rows of one forward pass on each data-parallel GPU. With packing, one row of as many tokens as these rows have.',
  },
  'policy.train_global_batch_size': {
    text: 'Rows of one optimizer step over all GPUs; what micro batches do not fill is accumulated.',
  },
  'policy.logprob_batch_size': {
    text: 'Rows of a pass that only computes log-probabilities: logits of rows × tokens × words, in fp32.',
  },
  'policy.max_total_sequence_length': {
    text: 'Prompt and answer together, in tokens. Logits in fp32 are what long rows run out of memory by.',
  },
  'policy.precision': {
    text: 'Dtype of the products. DTensor’s weights are loaded in fp32 whatever it says.',
    values: ['bfloat16', 'float16', 'float32'],
  },
  'policy.dtensor_cfg.enabled': {
    text: 'FSDP 2 over all data-parallel GPUs. One of the two backends has to be on, and only one.',
    values: FLAG,
  },
  'policy.megatron_cfg.enabled': {
    text: 'Megatron as backend, with an optimizer of its own in `megatron_cfg.optimizer`.',
    values: FLAG,
  },
  'policy.dtensor_cfg.activation_checkpointing': {
    text: 'Keeps only the input of each layer and computes the rest again in backward.',
    values: FLAG,
  },
  'policy.megatron_cfg.activation_checkpointing': {
    text: 'Checkpoints whole layers: recompute_granularity is full then.',
    values: FLAG,
  },
  'policy.dtensor_cfg.cpu_offload': {
    text: 'Keeps shards, gradients and states on the host; the step runs on the CPU.',
    values: FLAG,
  },
  'policy.dtensor_cfg.tensor_parallel_size': { text: 'GPUs that share each layer’s matrices.' },
  'policy.dtensor_cfg.context_parallel_size': { text: 'GPUs that share each row’s tokens.' },
  'policy.sequence_packing.enabled': {
    text: 'Fills rows with several samples. Excludes dynamic batching.',
    values: FLAG,
  },
  'policy.dynamic_batching.enabled': {
    text: 'Micro batches of as many tokens as fit the limit. Excludes packing.',
    values: FLAG,
  },
  'policy.generation.vllm_cfg.gpu_memory_utilization': {
    text: 'Share of each GPU that vLLM takes for weights and cache; colocated, it sleeps while training runs.',
  },
  'policy.generation.colocated.enabled': {
    text: 'vLLM on the GPUs that train. Otherwise it has GPUs of its own.',
    values: FLAG,
  },
  'grpo.num_generations_per_prompt': {
    text: 'Answers to each prompt: rows of a step are prompts times this.',
  },
  'cluster.gpus_per_node': { text: 'GPUs of a node. The files beneath say 1.' },
  'cluster.num_nodes': { text: 'Nodes; GPUs are `gpus_per_node` times this.' },
};
