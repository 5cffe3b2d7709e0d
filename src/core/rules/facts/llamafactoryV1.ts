import { template } from '../../text/say';
import type { Facts } from '../fact';

const config = (more: string): string => `model: Qwen/Qwen3-4B
model_class: llm
dist_config:
  name: fsdp2
train_dataset: data/v1_sft_demo.yaml
micro_batch_size: 1
cutoff_len: 2048
${more}`;

/** Pitfalls of LLaMA-Factory's v1 engine; sources are files of hiyouga/LLaMA-Factory below src/llamafactory/v1. */
export const llamafactoryV1Facts: Facts = {
  dialects: ['llamafactory-v1'],
  facts: [
    {
      id: 'llamafactory-v1-adapters-on-meta',
      severity: 'error',
      summary: 'A model that is not loaded yet can’t get adapters.',
      when: { is: { 'peft_config.name': ['lora'], 'init_config.name': ['init_on_meta'] } },
      at: ['init_config.name', 'peft_config.name'],
      message: template(
        'LoRA with init_on_meta is rejected: the engine raises a ValueError. Remove init_config, or initialize on rank 0.',
      ),
      meaning: 'On the meta device, weights have shapes but no values.',
      advice: 'Remove `init_config`, or set its name to `init_on_rank0`.',
      source: 'core/model_engine.py, _init_model',
      example: config('peft_config:\n  name: lora\ninit_config:\n  name: init_on_meta\n'),
      counterexample: config('peft_config:\n  name: lora\ninit_config:\n  name: init_on_rank0\n'),
    },
    {
      id: 'llamafactory-v1-quantised-on-meta',
      severity: 'error',
      summary: 'A model cannot be quantized on the meta device.',
      when: { stated: ['quant_config'], is: { 'init_config.name': ['init_on_meta'] } },
      at: ['init_config.name', 'quant_config'],
      message: template('A quant_config with init_on_meta is rejected: there are no values to quantize.'),
      meaning: 'On the meta device, weights have shapes but no values.',
      advice: 'Remove `init_config`, or set its name to `init_on_rank0`.',
      source: 'core/model_engine.py, _init_model',
      example: config('quant_config:\n  name: bnb\ninit_config:\n  name: init_on_meta\n'),
      counterexample: config('quant_config: null\ninit_config:\n  name: init_on_meta\n'),
    },
  ],
};
