import { template } from '../../text/say';
import type { Facts } from '../fact';

const BASE = `model:
  seq_length: 4096
  tensor_model_parallel_size: 2
train:
  train_iters: 100
  global_batch_size: 32
  micro_batch_size: 1
scheduler:
  lr_warmup_iters: 10
checkpoint:
  save: out
logger:
  log_interval: 1
`;

const withModel = (line: string): string => BASE.replace('model:\n', `model:\n  ${line}\n`);

/**
 * Pitfalls of Megatron-Bridge; sources are files of NVIDIA/Megatron-LM d98e8a6 and NVIDIA-NeMo/Megatron-Bridge
 * 067f987.
 */
export const megatronBridgeFacts: Facts = {
  dialects: ['megatron-bridge'],
  facts: [
    {
      id: 'megatron-bridge-selective-layers',
      severity: 'error',
      summary: 'Selective recomputation accepts no number of layers.',
      when: {
        is: { 'model.recompute_granularity': ['selective'] },
        stated: ['model.recompute_num_layers'],
      },
      at: ['model.recompute_num_layers'],
      message: template(
        '{model.recompute_num_layers} must be null with {model.recompute_granularity}. Megatron raises a ValueError. Remove it, or recompute in full.',
      ),
      meaning: 'Selective recomputation works on modules in every layer.',
      advice: 'Remove `recompute_num_layers`, or set `recompute_granularity: full` with a method.',
      source: 'megatron/core/transformer/transformer_config.py L1927-1931',
      example: withModel('recompute_granularity: selective\n  recompute_num_layers: 4'),
      counterexample: withModel(
        'recompute_granularity: full\n  recompute_method: uniform\n  recompute_num_layers: 4',
      ),
    },
    {
      id: 'megatron-bridge-sequence-parallel-alone',
      severity: 'error',
      summary: 'Sequence parallelism needs tensor parallelism.',
      when: { on: ['model.sequence_parallel'], below: { 'model.tensor_model_parallel_size': 2 } },
      at: ['model.sequence_parallel', 'model.tensor_model_parallel_size'],
      message: template(
        '{model.sequence_parallel} with {model.tensor_model_parallel_size} raises a ValueError. Tokens are shared among tensor-parallel GPUs. Turn it off.',
      ),
      meaning: 'Sequence parallelism splits norms and dropouts over the ranks of tensor parallelism.',
      advice: 'Set `model.sequence_parallel: false`. The quick fix does this.',
      set: { key: 'model.sequence_parallel', to: false },
      source:
        'megatron/core/model_parallel_config.py L502: “Cannot use sequence parallelism without tensor parallelism”',
      example: withModel('sequence_parallel: true').replace('parallel_size: 2', 'parallel_size: 1'),
      counterexample: withModel('sequence_parallel: true'),
    },
    {
      id: 'megatron-bridge-offload-and-recompute',
      severity: 'error',
      summary: "Offloading activations doesn't work with recomputing them.",
      when: { on: ['model.cpu_offloading'], stated: ['model.recompute_granularity'] },
      at: ['model.cpu_offloading', 'model.recompute_granularity'],
      message: template(
        '{model.cpu_offloading} and {model.recompute_granularity} cannot be combined. Megatron raises a ValueError. Keep one.',
      ),
      meaning: 'Recomputed activations are not kept, so they can’t be moved to the host.',
      advice: 'Set `model.recompute_granularity: null`, or turn offloading off.',
      source: 'megatron/core/transformer/transformer_config.py L1896',
      example: withModel('cpu_offloading: true\n  recompute_granularity: selective'),
      counterexample: withModel('cpu_offloading: true\n  recompute_granularity: null'),
    },
    {
      id: 'megatron-bridge-two-lengths-of-training',
      severity: 'error',
      summary: 'The length of training is set twice.',
      when: { stated: ['train.train_iters', 'train.train_samples'] },
      at: ['train.train_samples', 'train.train_iters'],
      message: template(
        '{train.train_iters} and {train.train_samples} cannot be combined. Set one of them to null.',
      ),
      meaning: 'Steps, samples and epochs are three ways to set the length, and only one is allowed.',
      advice: 'Keep the one that you want.',
      source:
        'src/megatron/bridge/training/config.py L481: “Cannot specify more than one of train_iters, train_samples, or num_epochs”',
      example: BASE.replace('train_iters: 100', 'train_iters: 100\n  train_samples: 3200'),
      counterexample: BASE,
    },
  ],
};
