import { template } from '../../text/say';
import type { Facts } from '../fact';

const sft = (more: string): string => `model_name_or_path: meta-llama/Llama-3.1-8B
tokenizer_name: meta-llama/Llama-3.1-8B
use_slow_tokenizer: true
max_seq_length: 4096
per_device_train_batch_size: 1
gradient_accumulation_steps: 2
with_tracking: true
${more}`;

/** Pitfalls of Open Instruct; sources are files of allenai/open-instruct e6c3044 unless stated otherwise. */
export const openInstructFacts: Facts = {
  dialects: ['open-instruct'],
  facts: [
    {
      id: 'open-instruct-removed-keys',
      severity: 'warning',
      summary: 'Current scripts reject these keys.',
      when: { anyOn: ['use_flash_attn', 'dpo_loss_type'] },
      at: ['use_flash_attn', 'dpo_loss_type'],
      message: template(
        'Today’s scripts have no such key and stop at it. Attention is found by itself, and the loss is loss_type.',
      ),
      meaning: 'The script stops on unknown arguments.',
      advice: 'Remove `use_flash_attn`; write `loss_type` in place of `dpo_loss_type`.',
      source: 'open_instruct/finetune.py L77-330, open_instruct/dpo_utils.py',
      example: sft('use_flash_attn: true\n'),
      counterexample: sft('loss_type: dpo_norm\n'),
    },
    {
      id: 'open-instruct-checkpointing-of-dpo',
      severity: 'warning',
      summary: 'The DPO script does not read `gradient_checkpointing`.',
      when: { on: ['gradient_checkpointing'], equals: { task: 'dpo' }, absent: ['activation_memory_budget'] },
      at: ['gradient_checkpointing'],
      message: template(
        '{gradient_checkpointing} belongs to an older script. The current dpo_tune_cache.py checkpoints with activation_memory_budget below 1.',
      ),
      meaning: 'The estimate follows the older script, for which the config was written.',
      advice:
        'With the current script, write `activation_memory_budget` (a value below 1 turns on checkpointing).',
      source: 'open_instruct/dpo_utils.py',
      example: sft('gradient_checkpointing: true\nloss_type: dpo_norm\nbeta: 5\n'),
      counterexample: sft('gradient_checkpointing: true\n'),
    },
    {
      id: 'open-instruct-lora-without-checkpointing',
      severity: 'warning',
      summary: 'With LoRA alone the script does not checkpoint.',
      when: { on: ['gradient_checkpointing', 'use_lora'], off: ['use_qlora'] },
      at: ['gradient_checkpointing', 'use_lora'],
      message: template(
        '{gradient_checkpointing} has no effect with {use_lora}. The script turns it on for full fine-tuning and for QLoRA only.',
      ),
      meaning: 'The code path for adapters skips the code that turns checkpointing on.',
      advice: 'Use `use_qlora`, or expect the memory of all activations.',
      source: 'allenai/open-instruct 00f6b60, open_instruct/finetune.py: `elif args.gradient_checkpointing`',
      example: sft('gradient_checkpointing: true\nuse_lora: true\n'),
      counterexample: sft('gradient_checkpointing: true\nuse_lora: true\nuse_qlora: true\n'),
    },
    {
      id: 'open-instruct-qlora-without-lora',
      severity: 'error',
      summary: '`use_qlora` quantizes; adapters come with `use_lora`.',
      when: { on: ['use_qlora'], off: ['use_lora'] },
      at: ['use_qlora'],
      message: template(
        '{use_qlora} without use_lora has no adapters to train. It only loads the base in 4 bits. Add use_lora: true.',
      ),
      meaning: 'There are two switches: one quantizes the base, the other adds adapters.',
      advice: 'Set `use_lora: true`. The quick fix does this.',
      set: { key: 'use_lora', to: true },
      source: 'allenai/open-instruct 00f6b60, open_instruct/finetune.py: `if args.use_lora`',
      example: sft('use_qlora: true\n'),
      counterexample: sft('use_qlora: true\nuse_lora: true\n'),
    },
  ],
};
