import { template } from '../../text/say';
import type { Facts } from '../fact';

const NEOX = `pipe_parallel_size: 1
model_parallel_size: 1
num_layers: 12
hidden_size: 768
num_attention_heads: 12
seq_length: 2048
max_position_embeddings: 2048
train_micro_batch_size_per_gpu: 4
zero_optimization:
  stage: 1
`;

/** Pitfalls of GPT-NeoX; sources are files of EleutherAI/gpt-neox ea7aefd. */
export const gptNeoxFacts: Facts = {
  dialects: ['gpt-neox'],
  facts: [
    {
      id: 'gpt-neox-zero-with-pipeline',
      severity: 'error',
      summary: "ZeRO stages 2 and 3 don't work with the pipeline engine.",
      when: { above: { 'zero_optimization.stage': 1, pipe_parallel_size: 0 } },
      at: ['zero_optimization.stage', 'pipe_parallel_size'],
      message: template(
        'ZeRO with {zero_optimization.stage} is incompatible with {pipe_parallel_size}. DeepSpeed’s pipeline engine stops. Use stage 1, or set pipe_parallel_size to 0.',
      ),
      meaning:
        'From 1 on, `pipe_parallel_size` puts the model into a pipeline. It accumulates gradients over micro-batches, but ZeRO stages 2 and 3 would partition them.',
      advice: 'Set `zero_optimization.stage: 1`, or `pipe_parallel_size: 0` if there is only one stage.',
      source:
        'megatron/neox_arguments/arguments.py: is_pipe_parallel; deepspeed/runtime/pipe/engine.py: “ZeRO-2 and ZeRO-3 are incompatible with pipeline parallelism”',
      example: NEOX.replace('stage: 1', 'stage: 2'),
      counterexample: NEOX.replace('stage: 1', 'stage: 2').replace(
        'pipe_parallel_size: 1',
        'pipe_parallel_size: 0',
      ),
    },
    {
      id: 'gpt-neox-experts-with-zero',
      severity: 'error',
      summary: "Experts don't work with ZeRO stages 2 and 3.",
      when: { above: { moe_num_experts: 1, 'zero_optimization.stage': 1 } },
      at: ['zero_optimization.stage', 'moe_num_experts'],
      message: template(
        '{moe_num_experts} is not compatible with ZeRO and {zero_optimization.stage}: GPT-NeoX stops. Use stage 1.',
      ),
      meaning: 'Experts have separate data-parallel groups.',
      advice: 'Set `zero_optimization.stage: 1`. The quick fix does this.',
      set: { key: 'zero_optimization.stage', to: 1 },
      source: 'megatron/neox_arguments/arguments.py L1089: “MoE is not compatible with zero stages 2 and 3”',
      example: `${NEOX.replace('stage: 1', 'stage: 2').replace('pipe_parallel_size: 1', 'pipe_parallel_size: 0')}moe_num_experts: 8\n`,
      counterexample: `${NEOX}moe_num_experts: 8\n`,
    },
    {
      id: 'gpt-neox-precision-conflict',
      severity: 'error',
      summary: '`precision` and the section `fp16` contradict each other.',
      when: { stated: ['precision'], isNot: { precision: ['fp16'] }, on: ['fp16.enabled'] },
      at: ['precision', 'fp16.enabled'],
      message: template(
        '{precision} conflicts with {fp16.enabled}: GPT-NeoX fails an assertion. Remove one of them.',
      ),
      meaning: 'If a DeepSpeed section turns on a precision, `precision` must be the same.',
      advice: 'Remove the section `fp16`, or set `precision: fp16`.',
      source:
        'megatron/neox_arguments/arguments.py L972: “DeepSpeed fp16 field was set but precision conflicts”',
      example: `${NEOX}precision: bfloat16\nfp16:\n  enabled: true\n`,
      counterexample: `${NEOX}precision: fp16\nfp16:\n  enabled: true\n`,
    },
    {
      id: 'gpt-neox-partition-without-checkpointing',
      severity: 'warning',
      summary: '`partition_activations` without checkpoints has nothing to share out.',
      when: {
        on: ['partition_activations'],
        stated: ['checkpoint_activations'],
        off: ['checkpoint_activations'],
      },
      at: ['partition_activations'],
      message: template(
        '{partition_activations} has no effect with {checkpoint_activations}. It splits checkpoints across model-parallel ranks, and there are none.',
      ),
      meaning: 'DeepSpeed partitions the activations that its checkpoint function keeps.',
      advice: 'Set `checkpoint_activations: true`. The quick fix does this.',
      set: { key: 'checkpoint_activations', to: true },
      source: 'megatron/initialize.py L112: deepspeed.checkpointing.configure(partition_activations=…)',
      example: `${NEOX}partition_activations: true\ncheckpoint_activations: false\n`,
      counterexample: `${NEOX}partition_activations: true\ncheckpoint_activations: true\n`,
    },
  ],
};

const LINGUA = `data:
  batch_size: 4
  seq_len: 4096
  n_views: 2
model:
  dim: 2048
  n_layers: 24
  n_heads: 16
distributed:
  fsdp_type: full_shard
  dp_shard: 8
  compile: true
  model_dtype: bf16
grad_acc_steps: 1
`;

/** Pitfalls of lingua; sources are files of facebookresearch/lingua 437d680. */
export const linguaFacts: Facts = {
  dialects: ['lingua'],
  facts: [
    {
      id: 'lingua-no-shard-degree',
      severity: 'error',
      summary: "`no_shard` doesn't work with a degree of sharding.",
      when: { is: { 'distributed.fsdp_type': ['no_shard'] }, above: { 'distributed.dp_shard': 1 } },
      at: ['distributed.dp_shard', 'distributed.fsdp_type'],
      message: template(
        '{distributed.dp_shard} contradicts {distributed.fsdp_type}: lingua fails an assertion. Use full_shard.',
      ),
      meaning: '`no_shard` keeps a complete copy on each GPU.',
      advice: 'Set `distributed.fsdp_type: full_shard`. The quick fix does this.',
      set: { key: 'distributed.fsdp_type', to: 'full_shard' },
      source: 'lingua/distributed.py L427: “dp_shard must be 1 for no_shard fsdp_type”',
      example: LINGUA.replace('full_shard', 'no_shard'),
      counterexample: LINGUA,
    },
    {
      id: 'lingua-tensor-parallel-needs-sharding',
      severity: 'error',
      summary: 'Tensor parallelism needs `full_shard`.',
      when: { is: { 'distributed.fsdp_type': ['no_shard'] }, above: { 'distributed.tp_size': 1 } },
      at: ['distributed.fsdp_type', 'distributed.tp_size'],
      message: template(
        '{distributed.tp_size} is rejected with {distributed.fsdp_type}: lingua fails an assertion. Use full_shard.',
      ),
      meaning: 'The mesh of tensor-parallel ranks is part of FSDP’s mesh.',
      advice: 'Set `distributed.fsdp_type: full_shard`. The quick fix does this.',
      set: { key: 'distributed.fsdp_type', to: 'full_shard' },
      source: 'lingua/distributed.py L409: “Only full shard is supported for TP parallelism”',
      example: LINGUA.replace(
        'full_shard\n  dp_shard: 8\n  compile: true',
        'no_shard\n  tp_size: 8\n  compile: false',
      ),
      counterexample: LINGUA.replace('dp_shard: 8\n  compile: true', 'tp_size: 8\n  compile: false'),
    },
    {
      id: 'lingua-tensor-parallel-compiled',
      severity: 'error',
      summary: "Tensor parallelism doesn't work with compiling.",
      when: { on: ['distributed.compile'], above: { 'distributed.tp_size': 1 } },
      at: ['distributed.compile', 'distributed.tp_size'],
      message: template(
        '{distributed.compile} is rejected with {distributed.tp_size}: lingua fails an assertion. Turn it off.',
      ),
      meaning: 'lingua does not compile layers with split matrices.',
      advice: 'Set `distributed.compile: false`. The quick fix does this.',
      set: { key: 'distributed.compile', to: false },
      source: 'lingua/distributed.py L413: “Compile is not supported for TP parallelism”',
      example: LINGUA.replace('dp_shard: 8', 'tp_size: 8'),
      counterexample: LINGUA,
    },
    {
      id: 'lingua-probe-with-checkpointing',
      severity: 'error',
      summary: "Probing doesn't work with activation checkpointing.",
      when: { stated: ['probe_freq'], on: ['distributed.selective_activation_checkpointing'] },
      at: ['probe_freq', 'distributed.selective_activation_checkpointing'],
      message: template(
        'Meta Lingua rejects {probe_freq} with {distributed.selective_activation_checkpointing}. Set probe_freq to null.',
      ),
      meaning: 'Probes read activations that checkpointing does not keep.',
      advice: 'Set `probe_freq: null`.',
      source: 'apps/main/train.py L198: “Probing not supported with selective activation checkpointing”',
      example: `${LINGUA.replace('compile: true', 'selective_activation_checkpointing: true')}probe_freq: 100\n`,
      counterexample: `${LINGUA.replace('compile: true', 'selective_activation_checkpointing: true')}probe_freq: null\n`,
    },
  ],
};

const NANOTRON = `general:
  project: tiny
model:
  dtype: bfloat16
  model_config:
    hidden_size: 1024
    num_hidden_layers: 12
optimizer:
  zero_stage: 1
  accumulate_grad_in_fp32: true
parallelism:
  dp: 4
  pp: 1
  tp: 2
tokens:
  micro_batch_size: 2
  batch_accumulation_per_replica: 4
  sequence_length: 2048
`;

/** Pitfalls of nanotron; sources are files of huggingface/nanotron 2411b02. */
export const nanotronFacts: Facts = {
  dialects: ['nanotron'],
  facts: [
    {
      id: 'nanotron-zero-without-replicas',
      severity: 'information',
      summary: 'ZeRO has no other replica to share the optimizer with.',
      when: { above: { 'optimizer.zero_stage': 0 }, below: { 'parallelism.dp': 2 } },
      at: ['optimizer.zero_stage'],
      message: template(
        '{optimizer.zero_stage} saves nothing with {parallelism.dp}. It splits the optimizer states across replicas, and there is only one.',
      ),
      meaning: 'States are split by the number of data-parallel ranks.',
      advice: 'Raise `parallelism.dp` if there are more GPUs, or set `zero_stage: 0`.',
      source: 'src/nanotron/optim/zero.py: ZeroDistributedOptimizer over dp_pg',
      example: NANOTRON.replace('dp: 4', 'dp: 1'),
      counterexample: NANOTRON,
    },
  ],
};
