import type { KeyHelp } from '../dialect';

const YES = ['True', 'False'] as const;

/** What verl's keys do to memory; sources as in the dialect's table. */
export const verlHelp: Readonly<Record<string, KeyHelp>> = {
  'actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu': {
    text: 'Rows of one forward and backward pass on each GPU: activations and logits grow with it. Has to be set unless batches are dynamic.',
    byDefault: 'null',
  },
  'actor_rollout_ref.actor.ppo_mini_batch_size': {
    text: 'Prompts of one optimizer step over all GPUs, each with `rollout.n` completions. Accumulation follows from it.',
    byDefault: '256',
  },
  'actor_rollout_ref.actor.use_dynamic_bsz': {
    text: 'Packs rows into micro batches of up to `ppo_max_token_len_per_gpu` tokens in place of a fixed number.',
    values: YES,
    byDefault: 'False',
  },
  'actor_rollout_ref.actor.ppo_max_token_len_per_gpu': {
    text: 'Tokens of a micro batch on each GPU when batches are dynamic: activations grow with it.',
    byDefault: '16384',
  },
  'data.train_batch_size': {
    text: 'Prompts of one step over all GPUs; takes no activations by itself.',
    byDefault: '1024',
  },
  'data.max_prompt_length': {
    text: 'Longest prompt in tokens; with the response it is the length of a row.',
    byDefault: '512',
  },
  'data.max_response_length': {
    text: 'Longest response in tokens. Its logits are held for the loss: the vocabulary’s width for each.',
    byDefault: '512',
  },
  'actor_rollout_ref.rollout.n': {
    text: 'Completions of each prompt; multiplies the mini batch.',
    byDefault: '1',
  },
  'actor_rollout_ref.rollout.gpu_memory_utilization': {
    text: 'Share of the GPU that the rollout engine takes for weights and cache while it writes.',
    byDefault: '0.5',
  },
  'actor_rollout_ref.rollout.free_cache_engine': {
    text: 'Gives the engine’s memory back before training. `False`: both are there together.',
    values: YES,
    byDefault: 'True',
  },
  'actor_rollout_ref.rollout.tensor_model_parallel_size': {
    text: 'GPUs that share the rollout’s copy of the weights.',
    byDefault: '2',
  },
  'actor_rollout_ref.rollout.name': {
    text: 'The engine that writes; has to be set.',
    values: ['vllm', 'sglang', 'trtllm'],
  },
  'actor_rollout_ref.actor.fsdp_config.param_offload': {
    text: 'Moves the actor’s weights to the host while others work; they are back while it trains.',
    values: YES,
    byDefault: 'False',
  },
  'actor_rollout_ref.actor.fsdp_config.optimizer_offload': {
    text: 'Moves the optimizer’s states to the host while others work; they are back for its step.',
    values: YES,
    byDefault: 'False',
  },
  'actor_rollout_ref.ref.fsdp_config.param_offload': {
    text: 'Keeps the reference’s weights on the host while it is not asked.',
    values: YES,
    byDefault: 'False',
  },
  'actor_rollout_ref.actor.use_kl_loss': {
    text: 'Loads a reference model, another bf16 copy of the weights, shared among GPUs.',
    values: YES,
    byDefault: 'False',
  },
  'actor_rollout_ref.model.enable_gradient_checkpointing': {
    text: 'Keeps only the input of each layer and computes the rest again in backward.',
    values: YES,
    byDefault: 'True',
  },
  'actor_rollout_ref.model.use_remove_padding': {
    text: 'Computes rows without their padding: memory follows the tokens there are.',
    values: YES,
    byDefault: 'True',
  },
  'algorithm.adv_estimator': {
    text: '`gae` trains a critic beside the actor: a second model with gradients and states. `grpo` and its kin have none.',
    byDefault: 'gae',
  },
};
