import { template } from '../../text/say';
import type { Facts } from '../fact';

const BASE = `max_seq_len: 2048
model:
  name: hf_causal_lm
  pretrained_model_name_or_path: meta-llama/Llama-3.1-8B
tokenizer:
  name: meta-llama/Llama-3.1-8B
  kwargs:
    model_max_length: 2048
train_loader:
  name: finetuning
  dataset:
    max_seq_len: 2048
optimizer:
  name: decoupled_adamw
max_duration: 1ep
global_train_batch_size: 64
device_train_microbatch_size: 2
device_eval_batch_size: 2
precision: amp_bf16
fsdp_config:
  sharding_strategy: FULL_SHARD
  activation_checkpointing: true
`;

/** Pitfalls of Composer and LLM Foundry; mosaicml/llm-foundry 8c8dd48, mosaicml/composer 6405188. */
export const composerFacts: Facts = {
  dialects: ['llm-foundry', 'composer'],
  facts: [
    {
      id: 'composer-fsdp-cpu-offload',
      severity: 'error',
      summary: 'FSDP’s CPU offload is rejected.',
      when: { on: ['fsdp_config.cpu_offload'] },
      at: ['fsdp_config.cpu_offload'],
      message: template('{fsdp_config.cpu_offload} is rejected by Composer with a ValueError. Remove it.'),
      meaning: 'Composer has the key, but does not support it yet.',
      advice: 'Shard over more GPUs, or train adapters.',
      set: { key: 'fsdp_config.cpu_offload', to: false },
      source: 'composer mosaic_parallelism.py L101-106: “FSDP CPU Offload not supported yet.”',
      example: `${BASE}  cpu_offload: true\n`,
      counterexample: `${BASE}  cpu_offload: false\n`,
    },
    {
      id: 'composer-auto-microbatch',
      severity: 'information',
      summary: 'An automatic micro-batch is found by running out of memory.',
      when: { is: { device_train_microbatch_size: ['auto'] } },
      at: ['device_train_microbatch_size'],
      message: template(
        '{device_train_microbatch_size} halves the batch after each out-of-memory error. Set a number to know in advance what a step needs.',
      ),
      meaning: 'Each attempt takes time and leaves fragmented memory.',
      advice: 'Set a number: the effective batch stays the same.',
      source: 'composer/trainer/trainer.py L354-372',
      example: BASE.replace('microbatch_size: 2', 'microbatch_size: auto'),
      counterexample: BASE,
    },
    {
      id: 'composer-peft-reentrant',
      severity: 'information',
      summary: 'Reentrant checkpointing is turned off when adapters are trained.',
      when: {
        stated: ['model.peft_config'],
        on: ['fsdp_config.activation_checkpointing', 'fsdp_config.activation_checkpointing_reentrant'],
      },
      at: ['fsdp_config.activation_checkpointing_reentrant'],
      message: template(
        'LLM Foundry sets {fsdp_config.activation_checkpointing_reentrant} to false. Adapters do not train through reentrant checkpoints.',
      ),
      meaning: 'LLM Foundry warns and trains with the newer checkpointing.',
      advice: 'Set it to `false`. The quick fix does this.',
      set: { key: 'fsdp_config.activation_checkpointing_reentrant', to: false },
      source: 'llmfoundry/command_utils/train.py L111-128',
      example: `${BASE}  activation_checkpointing_reentrant: true\n`.replace(
        'model:\n',
        'model:\n  peft_config:\n    r: 8\n',
      ),
      counterexample: `${BASE}  activation_checkpointing_reentrant: false\n`.replace(
        'model:\n',
        'model:\n  peft_config:\n    r: 8\n',
      ),
    },
    {
      id: 'composer-fsdp-one-gpu',
      severity: 'information',
      summary: 'FSDP is ignored on one GPU.',
      when: { stated: ['fsdp_config'], equals: { gpus: 1 } },
      at: ['fsdp_config'],
      message: template('{fsdp_config} has no effect with {compute.gpus}: Composer reverts to DDP.'),
      meaning: 'Sharding needs several ranks.',
      advice: 'Request more GPUs, or expect all weights, gradients and states on one GPU.',
      source: 'llmfoundry/command_utils/train.py L319-331',
      example: `${BASE}compute:\n  gpus: 1\n`,
      counterexample: `${BASE}compute:\n  gpus: 8\n`,
    },
  ],
};
