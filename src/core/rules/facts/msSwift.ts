import { template } from '../../text/say';
import type { Facts } from '../fact';

const sft = (more: string): string => `model: Qwen/Qwen2.5-7B-Instruct
tuner_type: lora
lora_rank: 8
split_dataset_ratio: 0.0
max_length: 2048
per_device_train_batch_size: 1
learning_rate: 1e-4
${more}`;

/** Pitfalls of ms-swift; sources are files of modelscope/ms-swift 3602360 below swift. */
export const msSwiftFacts: Facts = {
  dialects: ['ms-swift'],
  facts: [
    {
      id: 'ms-swift-bits-without-method',
      severity: 'warning',
      summary: '`quant_bits` does nothing without `quant_method`.',
      when: { stated: ['quant_bits'], absent: ['quant_method'] },
      at: ['quant_bits'],
      message: template(
        '{quant_bits} has no effect without quant_method: the base is loaded whole. Add quant_method: bnb.',
      ),
      meaning: 'Without a method, ms-swift quantizes nothing and prints no warning.',
      advice: 'Set `quant_method: bnb`. The quick fix does this.',
      set: { key: 'quant_method', to: 'bnb' },
      source: 'arguments/base_args/quant_args.py L45-47',
      example: sft('quant_bits: 4\n'),
      counterexample: sft('quant_bits: 4\nquant_method: bnb\n'),
    },
    {
      id: 'ms-swift-train-type',
      severity: 'warning',
      summary: '`train_type` became `tuner_type`.',
      when: { stated: ['train_type'], absent: ['tuner_type'] },
      at: ['train_type'],
      message: template(
        "{train_type} is the name of ms-swift 3: release 4 doesn't support it. Write tuner_type.",
      ),
      meaning: 'The key was renamed in the refactoring for release 4.',
      advice: 'Rename the key to `tuner_type`, or use release 3.',
      source: 'commits 67ae6076a and d0c71e48c of modelscope/ms-swift',
      example: sft('').replace('tuner_type', 'train_type'),
      counterexample: sft(''),
    },
    {
      id: 'ms-swift-packing-without-flash',
      severity: 'error',
      summary: 'Packing needs flash attention.',
      when: { on: ['packing'], is: { attn_impl: ['sdpa', 'eager'] } },
      at: ['attn_impl', 'packing'],
      message: template(
        '{attn_impl} cannot keep packed samples apart. With {packing} ms-swift raises a ValueError. Use flash_attn.',
      ),
      meaning: 'Packed rows have no padding, and only the flash kernels accept lengths instead of a mask.',
      advice: 'Set `attn_impl: flash_attn`. The quick fix does this.',
      set: { key: 'attn_impl', to: 'flash_attn' },
      source: 'arguments/sft_args.py L185-196',
      example: sft('packing: true\nattn_impl: sdpa\n'),
      counterexample: sft('packing: true\nattn_impl: flash_attn\n'),
    },
    {
      id: 'ms-swift-fp32-weights-compute-in-fp16',
      severity: 'warning',
      summary: '`torch_dtype: float32` turns on fp16, not fp32.',
      when: { is: { torch_dtype: ['float32'] }, absent: ['bf16', 'fp16'] },
      at: ['torch_dtype'],
      message: template(
        '{torch_dtype} holds the weights in fp32 and computes in fp16. The flag follows the dtype. Write bf16: true for bf16.',
      ),
      meaning: 'Unless `bf16` or `fp16` is set, every dtype except bfloat16 trains in fp16.',
      advice: 'Add `bf16: true`, or `fp16: false` to train completely in fp32.',
      source: 'arguments/base_args/model_args.py, _init_mixed_precision',
      example: sft('torch_dtype: float32\n'),
      counterexample: sft('torch_dtype: float32\nbf16: true\n'),
    },
    {
      id: 'ms-swift-deepspeed-and-fsdp',
      severity: 'error',
      summary: 'DeepSpeed and FSDP cannot be combined.',
      when: { stated: ['deepspeed', 'fsdp'] },
      at: ['fsdp', 'deepspeed'],
      message: template(
        '{deepspeed} and {fsdp} both shard the model: ms-swift rejects them together. Remove one.',
      ),
      meaning: 'ms-swift checks the arguments before training and raises a ValueError.',
      advice: 'Remove one of the two.',
      source: 'arguments/sft_args.py L295',
      example: sft('deepspeed: zero2\nfsdp: fsdp2\n'),
      counterexample: sft('fsdp: fsdp2\n'),
    },
    {
      id: 'ms-swift-checkpointing-under-fsdp2',
      severity: 'information',
      summary: 'The FSDP2 preset has its own checkpointing.',
      when: { is: { fsdp: ['fsdp2'] }, on: ['gradient_checkpointing'] },
      at: ['gradient_checkpointing'],
      message: template(
        '{gradient_checkpointing} is turned off under {fsdp}. Its preset has activation_checkpointing in its place.',
      ),
      meaning: 'FSDP checkpoints the layers in any case.',
      advice: 'Remove the key; nothing changes.',
      source: 'arguments/sft_args.py L331-359; config/fsdp2.json',
      example: sft('fsdp: fsdp2\ngradient_checkpointing: true\n'),
      counterexample: sft('deepspeed: zero3\ngradient_checkpointing: true\n'),
    },
    {
      id: 'ms-swift-two-warm-ups',
      severity: 'error',
      summary: '`warmup_ratio` and `warmup_steps` cannot be combined.',
      when: { above: { warmup_ratio: 0, warmup_steps: 0 } },
      at: ['warmup_steps', 'warmup_ratio'],
      message: template('{warmup_ratio} and {warmup_steps} both set the warm-up. ms-swift raises an error.'),
      meaning: 'Only one of them can be set.',
      advice: 'Remove one of the two.',
      source: 'trainers/arguments.py',
      example: sft('warmup_ratio: 0.05\nwarmup_steps: 100\n'),
      counterexample: sft('warmup_ratio: 0.05\n'),
    },
    {
      id: 'ms-swift-length-of-the-model',
      severity: 'information',
      summary: 'Without `max_length`, the limit of the model applies.',
      when: { absent: ['max_length', 'rlhf_type'] },
      at: ['model'],
      message: template(
        'Nothing truncates samples. Without max_length, rows may be as long as {model} allows, and one long sample can run out of memory.',
      ),
      meaning: 'The default is the model’s own limit, 128k tokens and more for many models.',
      advice: 'Set `max_length` to the length that your samples need.',
      source: 'arguments/base_args: max_length is None',
      example: sft('').replace('max_length: 2048\n', ''),
      counterexample: sft(''),
    },
  ],
};
