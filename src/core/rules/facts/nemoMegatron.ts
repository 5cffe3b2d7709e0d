import { template } from '../../text/say';
import type { Facts } from '../fact';

const BASE = `trainer:
  devices: 8
  num_nodes: 1
  precision: bf16
exp_manager:
  name: gpt
model:
  micro_batch_size: 1
  global_batch_size: 8
  tensor_model_parallel_size: 2
  megatron_amp_O2: true
  encoder_seq_length: 2048
  optim:
    name: distributed_fused_adam
`;

const sharded = BASE.replace('megatron_amp_O2: true', 'megatron_amp_O2: false').replace(
  'distributed_fused_adam',
  'fused_adam',
);

const BUILDER = 'nemo/collections/nlp/parts/megatron_trainer_builder.py';

/** Pitfalls of NeMo on Megatron; sources are files of NVIDIA/NeMo 8cfedd7 (2.6.0rc0). */
export const nemoMegatronFacts: Facts = {
  dialects: ['nemo-megatron'],
  facts: [
    {
      id: 'nemo-fsdp-distributed-optimizer',
      severity: 'error',
      summary: "Torch’s FSDP doesn't work with a distributed optimizer.",
      when: {
        on: ['model.fsdp'],
        is: { 'model.optim.name': ['distributed_fused_adam', 'mcore_distributed_optim'] },
      },
      at: ['model.optim.name', 'model.fsdp'],
      message: template(
        '{model.optim.name} cannot be used with {model.fsdp}. Both shard the optimizer, and NeMo stops. Use fused_adam, or turn fsdp off.',
      ),
      meaning:
        'FSDP shards the optimizer’s states with the parameters; a distributed optimizer would shard them again.',
      advice: 'Set `model.optim.name: fused_adam`. The quick fix does this.',
      set: { key: 'model.optim.name', to: 'fused_adam' },
      source: `${BUILDER}: “Distributed optimizer cannot be used with FSDP.”`,
      example: `${sharded.replace('fused_adam', 'distributed_fused_adam')}  fsdp: true\n`,
      counterexample: `${sharded}  fsdp: true\n`,
    },
    {
      id: 'nemo-fsdp-turns-o2-off',
      severity: 'warning',
      summary: 'Torch’s FSDP turns `megatron_amp_O2` off.',
      when: { on: ['model.fsdp', 'model.megatron_amp_O2'] },
      at: ['model.megatron_amp_O2', 'model.fsdp'],
      message: template(
        '{model.megatron_amp_O2} is set to false by NeMo, since {model.fsdp} is on: weights stay in fp32. Remove it.',
      ),
      meaning: 'Megatron keeps 16-bit weights with fp32 copies in the optimizer. FSDP does not.',
      advice: 'Remove `megatron_amp_O2`, or turn `fsdp` off.',
      source: `${BUILDER}: “Torch FSDP is not compatible with O2 precision recipe. Setting O2 \`False\`.”`,
      example: `${sharded.replace('O2: false', 'O2: true')}  fsdp: true\n`,
      counterexample: `${sharded}  fsdp: true\n`,
    },
    {
      id: 'nemo-fsdp-sharded-checkpoint',
      severity: 'error',
      summary: "FSDP’s sharded checkpoints don't work with tensor parallelism.",
      when: {
        on: ['model.fsdp', 'model.fsdp_sharded_checkpoint'],
        above: { 'model.tensor_model_parallel_size': 1 },
      },
      at: ['model.fsdp_sharded_checkpoint'],
      message: template(
        '{model.fsdp_sharded_checkpoint} is rejected with {model.tensor_model_parallel_size}. NeMo stops before it trains.',
      ),
      meaning: 'FSDP’s sharded checkpoints do not support tensor-parallel ranks.',
      advice: 'Set `model.fsdp_sharded_checkpoint: false`. The quick fix does this.',
      set: { key: 'model.fsdp_sharded_checkpoint', to: false },
      source: `${BUILDER}: “FSDP sharded checkpoint is not supported when TP size > 1.”`,
      example: `${sharded}  fsdp: true\n  fsdp_sharded_checkpoint: true\n`,
      counterexample: `${sharded}  fsdp: true\n  fsdp_sharded_checkpoint: false\n`,
    },
    {
      id: 'nemo-accumulate-grad-batches',
      severity: 'error',
      summary: 'Megatron’s two batch sizes set the accumulation, not Lightning’s key.',
      when: { above: { 'trainer.accumulate_grad_batches': 1 } },
      at: ['trainer.accumulate_grad_batches'],
      message: template(
        '{trainer.accumulate_grad_batches} must stay 1. Accumulation follows from model.global_batch_size and model.micro_batch_size. Raise the global batch instead.',
      ),
      meaning: 'A step of Megatron processes the whole global batch, one micro-batch at a time.',
      advice:
        'Set `trainer.accumulate_grad_batches: 1`, and set `model.global_batch_size` to the samples of a step.',
      set: { key: 'trainer.accumulate_grad_batches', to: 1 },
      source:
        'NeMo conf/megatron_gpt_config.yaml: “do not modify, grad acc is automatic for training megatron models”',
      example: BASE.replace('precision: bf16', 'precision: bf16\n  accumulate_grad_batches: 4'),
      counterexample: BASE.replace('precision: bf16', 'precision: bf16\n  accumulate_grad_batches: 1'),
    },
    {
      id: 'nemo-sequence-parallel-alone',
      severity: 'warning',
      summary: 'Sequence parallelism does nothing without tensor parallelism.',
      when: { on: ['model.sequence_parallel'], below: { 'model.tensor_model_parallel_size': 2 } },
      at: ['model.sequence_parallel', 'model.tensor_model_parallel_size'],
      message: template(
        '{model.sequence_parallel} has no effect with {model.tensor_model_parallel_size}. It splits tokens across tensor-parallel GPUs, and there is only one.',
      ),
      meaning: 'Sequence parallelism splits norms and dropouts over the ranks of tensor parallelism.',
      advice: 'Raise `tensor_model_parallel_size`, or turn `sequence_parallel` off.',
      source:
        'NeMo conf/megatron_gpt_config.yaml: sequence_parallel; megatron/core/model_parallel_config.py L502',
      example: `${BASE.replace('parallel_size: 2', 'parallel_size: 1')}  sequence_parallel: true\n`,
      counterexample: `${BASE}  sequence_parallel: true\n`,
    },
    {
      id: 'nemo-checkpoint-layers-without-granularity',
      severity: 'warning',
      summary: 'The number of checkpointed layers is set, but checkpointing is off.',
      when: {
        above: { 'model.activations_checkpoint_num_layers': 0 },
        absent: ['model.activations_checkpoint_granularity'],
      },
      at: ['model.activations_checkpoint_num_layers'],
      message: template(
        '{model.activations_checkpoint_num_layers} has no effect without a granularity. Every activation is kept. Set activations_checkpoint_granularity to full.',
      ),
      meaning: 'The granularity turns checkpointing on. Method and number only configure it.',
      advice: 'Set `model.activations_checkpoint_granularity: full`. The quick fix does this.',
      set: { key: 'model.activations_checkpoint_granularity', to: 'full' },
      source: 'NeMo conf/megatron_gpt_config.yaml: activations_checkpoint_granularity, _method, _num_layers',
      example: `${BASE}  activations_checkpoint_granularity: null\n  activations_checkpoint_num_layers: 1\n`,
      counterexample: `${BASE}  activations_checkpoint_granularity: full\n  activations_checkpoint_method: uniform\n  activations_checkpoint_num_layers: 1\n`,
    },
  ],
};
