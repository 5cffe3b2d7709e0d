import { template } from '../../text/say';
import type { Facts } from '../fact';

const BASE = `tokenizer:
  _component_: torchtune.models.llama3.llama3_tokenizer
  max_seq_len: 2048
model:
  _component_: torchtune.models.llama3.llama3_8b
checkpointer:
  _component_: torchtune.training.FullModelHFCheckpointer
optimizer:
  _component_: torch.optim.AdamW
loss:
  _component_: torchtune.modules.loss.LinearCrossEntropyLoss
batch_size: 2
dtype: bf16
`;

/** Pitfalls of torchtune; sources are files of pytorch/torchtune bd2a0fc (0.7.0). */
export const torchtuneFacts: Facts = {
  dialects: ['torchtune'],
  facts: [
    {
      id: 'torchtune-offload-without-checkpointing',
      severity: 'error',
      summary: 'Activations are offloaded, but not checkpointed: the recipe stops.',
      when: { on: ['enable_activation_offloading'], off: ['enable_activation_checkpointing'] },
      at: ['enable_activation_offloading'],
      message: template(
        '{enable_activation_offloading} needs activation checkpointing. The recipe raises a RuntimeError. Turn it on, or offloading off.',
      ),
      meaning:
        'The recipe offloads the inputs that checkpoints keep. Without checkpoints, it refuses to start.',
      advice: 'Set `enable_activation_checkpointing: True`. The quick fix does this.',
      set: { key: 'enable_activation_checkpointing', to: true },
      source: 'recipes/full_finetune_single_device.py L260, lora_finetune_single_device.py L241',
      example: `${BASE}enable_activation_offloading: True\nenable_activation_checkpointing: False\n`,
      counterexample: `${BASE}enable_activation_offloading: True\nenable_activation_checkpointing: True\n`,
    },
    {
      id: 'torchtune-optimizer-in-backward-accumulates',
      severity: 'error',
      summary: "`optimizer_in_bwd` doesn't work with gradient accumulation.",
      when: { on: ['optimizer_in_bwd'], above: { gradient_accumulation_steps: 1 } },
      at: ['optimizer_in_bwd', 'gradient_accumulation_steps'],
      message: template(
        'The recipe rejects {optimizer_in_bwd} with {gradient_accumulation_steps}. It uses each gradient at once, so none is left to accumulate.',
      ),
      meaning:
        'An optimizer that steps in backward frees each gradient at once, so the next micro-batch has nothing to accumulate to.',
      advice: 'Set `gradient_accumulation_steps: 1` and raise `batch_size`, or turn `optimizer_in_bwd` off.',
      source: 'recipes/full_finetune_single_device.py L224-232',
      example: `${BASE}optimizer_in_bwd: True\ngradient_accumulation_steps: 4\n`,
      counterexample: `${BASE}optimizer_in_bwd: True\ngradient_accumulation_steps: 1\n`,
    },
    {
      id: 'torchtune-optimizer-in-backward-clips',
      severity: 'error',
      summary: "`optimizer_in_bwd` doesn't work with gradient clipping.",
      when: { on: ['optimizer_in_bwd'], stated: ['clip_grad_norm'] },
      at: ['clip_grad_norm', 'optimizer_in_bwd'],
      message: template(
        'The recipe rejects {clip_grad_norm} with {optimizer_in_bwd}. Clipping needs all gradients at the same time.',
      ),
      meaning: 'The norm of all gradients is known only when all of them exist.',
      advice: 'Set `clip_grad_norm: null`, or turn `optimizer_in_bwd` off.',
      source: 'recipes/full_finetune_single_device.py L224-232',
      example: `${BASE}optimizer_in_bwd: True\nclip_grad_norm: 1.0\n`,
      counterexample: `${BASE}optimizer_in_bwd: True\nclip_grad_norm: null\n`,
    },
    {
      id: 'torchtune-stale-fsdp-section',
      severity: 'warning',
      summary: 'The `fsdp` section is read by no recipe any more.',
      when: { stated: ['fsdp'] },
      at: ['fsdp'],
      message: template(
        'No recipe of torchtune 0.7 reads {fsdp}. Unknown keys are silently ignored. Write fsdp_cpu_offload or fsdp_reshard_after_forward at the top level.',
      ),
      meaning:
        'Older recipes had a section for FSDP. Its keys, in particular CPU offload, are now silently ignored.',
      advice: 'Move `fsdp.cpu_offload` to `fsdp_cpu_offload`, and remove the section.',
      source: 'recipes/configs/llama3_1/405B_qlora.yaml L72 against recipes/lora_finetune_distributed.py',
      example: `${BASE}fsdp:\n  cpu_offload: True\n`,
      counterexample: `${BASE}fsdp_cpu_offload: True\n`,
    },
    {
      id: 'torchtune-packed-without-length',
      severity: 'error',
      summary: 'Packing needs a sequence length.',
      when: { on: ['dataset.packed'], absent: ['tokenizer.max_seq_len'] },
      at: ['dataset.packed', 'tokenizer.max_seq_len'],
      message: template(
        '{dataset.packed} fills rows up to tokenizer.max_seq_len, which is not set. The dataset raises an error.',
      ),
      meaning: 'A packed row has a fixed length, but the config does not set it.',
      advice: 'Set `tokenizer.max_seq_len`.',
      source: 'torchtune/datasets builders: PackedDataset needs max_seq_len',
      example: `${BASE.replace('2048', 'null')}dataset:\n  packed: True\n`,
      counterexample: `${BASE}dataset:\n  packed: True\n`,
    },
    {
      id: 'torchtune-unbounded-length',
      severity: 'information',
      summary: 'Without `max_seq_len` the longest sample of a batch decides how much memory a step takes.',
      when: {
        absent: ['tokenizer.max_seq_len', 'dataset.max_seq_len'],
        off: ['dataset.packed'],
        stated: ['tokenizer', 'optimizer'],
      },
      at: ['tokenizer.max_seq_len', 'tokenizer'],
      message: template(
        'No limit is set on the length of rows. One long sample can run out of memory hours into the run. Set tokenizer.max_seq_len.',
      ),
      meaning: 'Rows are padded to the longest sample of their batch, and nothing limits its length.',
      advice: 'Set `tokenizer.max_seq_len` to the length that the data needs.',
      source: 'torchtune/data/_collate.py; models’ tokenizers: max_seq_len is None',
      example: BASE.replace('2048', 'null'),
      counterexample: BASE,
    },
    {
      id: 'torchtune-half-precision',
      severity: 'error',
      summary: 'Recipes do not train in fp16.',
      when: { is: { dtype: ['fp16', 'float16'] } },
      at: ['dtype'],
      message: template('{dtype} is rejected: recipes train in bf16 or fp32.'),
      meaning: 'Recipes don’t scale the loss, so fp16 gradients vanish.',
      advice: 'Set `dtype: bf16`, or `fp32` on GPUs without bf16.',
      set: { key: 'dtype', to: 'bf16' },
      source: 'recipes/full_finetune_single_device.py: “fp16 precision is not supported”',
      example: BASE.replace('bf16', 'fp16'),
      counterexample: BASE,
    },
  ],
};
