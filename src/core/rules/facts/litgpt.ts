import { template } from '../../text/say';
import type { Facts } from '../fact';

const BASE = `checkpoint_dir: checkpoints/meta-llama/Meta-Llama-3-8B
out_dir: out/finetune/lora
precision: bf16-true
devices: 1
lora_r: 8
train:
  save_interval: 200
  global_batch_size: 8
  micro_batch_size: 1
  lr_warmup_steps: 10
  max_seq_length: 512
`;

const quantized = `${BASE}quantize: bnb.nf4\n`;

/** Pitfalls of LitGPT; sources are files of Lightning-AI/litgpt 2685705 (0.5.13). */
export const litgptFacts: Facts = {
  dialects: ['litgpt'],
  facts: [
    {
      id: 'litgpt-quantized-mixed-precision',
      severity: 'error',
      summary: "Quantized weights don't work with mixed precision.",
      when: { stated: ['quantize'], is: { precision: ['bf16-mixed', '16-mixed'] } },
      at: ['precision', 'quantize'],
      message: template(
        '{quantize} and {precision} cannot be combined: LitGPT raises an error. Set precision to bf16-true.',
      ),
      meaning: 'Mixed precision keeps fp32 weights, but quantized weights are not fp32.',
      advice: 'Set `precision: bf16-true`. The quick fix does this.',
      set: { key: 'precision', to: 'bf16-true' },
      source: 'litgpt/finetune/lora.py L142: “Quantization and mixed precision is not supported.”',
      example: quantized.replace('bf16-true', 'bf16-mixed'),
      counterexample: quantized,
    },
    {
      id: 'litgpt-quantized-without-precision',
      severity: 'error',
      summary: 'Quantized weights need `precision`: LitGPT’s default is a mixed precision.',
      when: { stated: ['quantize'], absent: ['precision'] },
      at: ['quantize'],
      message: template(
        '{quantize} needs a precision. Without one LitGPT takes a mixed precision, and rejects both together.',
      ),
      meaning: 'The default follows from the GPU and is bf16-mixed or 16-mixed.',
      advice: 'Set `precision: bf16-true`. The quick fix does this.',
      set: { key: 'precision', to: 'bf16-true' },
      source: 'litgpt/utils.py L363-375; litgpt/finetune/lora.py L142',
      example: quantized.replace('precision: bf16-true\n', ''),
      counterexample: quantized,
    },
    {
      id: 'litgpt-quantized-several-gpus',
      severity: 'error',
      summary: 'Quantized weights only work on one GPU.',
      when: { stated: ['quantize'], above: { devices: 1 } },
      at: ['devices', 'quantize'],
      message: template(
        '{quantize} with {devices}: LitGPT raises NotImplementedError. Train on one GPU, or without quantize.',
      ),
      meaning: 'LitGPT can’t combine sharding with bitsandbytes.',
      advice: 'Set `devices: 1`, or remove `quantize` and shard the weights over several GPUs.',
      source: 'litgpt/finetune/lora.py L153-156',
      example: quantized.replace('devices: 1', 'devices: 4'),
      counterexample: quantized,
    },
    {
      id: 'litgpt-finetune-max-norm',
      severity: 'error',
      summary: 'Finetuning rejects `train.max_norm`.',
      when: { stated: ['checkpoint_dir', 'train.max_norm'] },
      at: ['train.max_norm'],
      message: template(
        '{train.max_norm} is for pretraining: LitGPT’s finetuning raises a ValueError. Remove it.',
      ),
      meaning: 'Finetuning does not clip gradients and raises an error.',
      advice: 'Leave `train.max_norm` empty.',
      source: 'litgpt/finetune/lora.py L563-578, full.py L443-458',
      example: `${BASE}  max_norm: 1.0\n`,
      counterexample: `${BASE}  max_norm:\n`,
    },
    {
      id: 'litgpt-finetune-max-tokens',
      severity: 'error',
      summary: 'Finetuning rejects `train.max_tokens`.',
      when: { stated: ['checkpoint_dir', 'train.max_tokens'] },
      at: ['train.max_tokens'],
      message: template(
        '{train.max_tokens} is for pretraining: LitGPT’s finetuning raises a ValueError. Set train.epochs.',
      ),
      meaning: 'Finetuning counts epochs or steps.',
      advice: 'Leave `train.max_tokens` empty, and set `train.epochs` or `train.max_steps`.',
      source: 'litgpt/finetune/lora.py L563-578, full.py L443-458',
      example: `${BASE}  max_tokens: 1000000\n`,
      counterexample: `${BASE}  max_tokens:\n`,
    },
  ],
};
