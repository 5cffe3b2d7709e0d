import { template } from '../../text/say';
import type { Facts } from '../fact';

const lora = (more: string): string => `model_name_or_path: Qwen/Qwen3-4B
stage: sft
do_train: true
finetuning_type: lora
lora_rank: 8
lora_target: all
template: qwen3
cutoff_len: 2048
per_device_train_batch_size: 1
bf16: true
${more}`;
const full = (more: string): string => lora(more).replace('finetuning_type: lora', 'finetuning_type: full');
const ZERO3 = 'deepspeed: examples/deepspeed/ds_z3_config.json\n';
const ZERO2 = 'deepspeed: examples/deepspeed/ds_z2_config.json\n';

/** Pitfalls of LLaMA-Factory; sources are files of hiyouga/LLaMA-Factory ff6d4d1 below src/llamafactory. */
export const llamafactoryFacts: Facts = {
  dialects: ['llamafactory'],
  facts: [
    {
      id: 'llamafactory-quantised-base-is-trained',
      severity: 'error',
      summary: 'Only adapters can be trained on a base that is quantized when it is loaded.',
      when: { stated: ['quantization_bit'], is: { finetuning_type: ['full', 'freeze'] } },
      at: ['quantization_bit', 'finetuning_type'],
      message: template(
        '{quantization_bit} with {finetuning_type} is rejected. Low-bit weights cannot be trained. Train adapters, or remove the quantization.',
      ),
      meaning: 'LLaMA-Factory checks the arguments before it loads anything, and raises a ValueError.',
      advice: 'Set `finetuning_type: lora`, or remove `quantization_bit`.',
      source: 'hparams/parser.py L235-237',
      example: full('quantization_bit: 4\n'),
      counterexample: lora('quantization_bit: 4\n'),
    },
    {
      id: 'llamafactory-pissa-on-quantised-base',
      severity: 'error',
      summary: 'PiSSA cannot start from quantized weights.',
      when: { on: ['pissa_init'], stated: ['quantization_bit'] },
      at: ['pissa_init', 'quantization_bit'],
      message: template(
        'LLaMA-Factory rejects {pissa_init} with {quantization_bit}. PiSSA decomposes the weights, which have only a few bits.',
      ),
      meaning: 'PiSSA initializes adapters from the singular values of the base.',
      advice: 'Remove one of the two.',
      source: 'model/adapter.py, init_adapter',
      example: lora('quantization_bit: 4\npissa_init: true\n'),
      counterexample: lora('pissa_init: true\n'),
    },
    {
      id: 'llamafactory-pure-bf16-with-zero3',
      severity: 'error',
      summary: "`pure_bf16` doesn't work with ZeRO-3.",
      when: { on: ['pure_bf16'], equals: { zeroStage: 3 } },
      at: ['pure_bf16', 'deepspeed'],
      message: template(
        '{pure_bf16} with ZeRO-3 is rejected: DeepSpeed keeps fp32 copies of its own. Use bf16, or ZeRO-2.',
      ),
      meaning: 'LLaMA-Factory checks the arguments before training and raises a ValueError.',
      advice: 'Write `bf16: true` in place of `pure_bf16: true`.',
      source: 'hparams/parser.py L502',
      example: full(`${ZERO3}pure_bf16: true\n`),
      counterexample: full(`${ZERO2}pure_bf16: true\n`),
    },
    {
      id: 'llamafactory-low-rank-optimizer-with-deepspeed',
      severity: 'error',
      summary: "GaLore and APOLLO don't work with DeepSpeed.",
      when: { anyOn: ['use_galore', 'use_apollo'], stated: ['deepspeed'] },
      at: ['use_galore', 'use_apollo', 'deepspeed'],
      message: template(
        'LLaMA-Factory rejects GaLore and APOLLO with {deepspeed}. DeepSpeed shards the states that they project. Remove one.',
      ),
      meaning: 'Both optimizers need the whole gradient of a matrix.',
      advice: 'Remove `deepspeed`, or the optimizer’s switch.',
      source: 'hparams/parser.py L518',
      example: full(`${ZERO2}use_galore: true\noptim: adamw_torch\n`),
      counterexample: full('use_galore: true\noptim: adamw_torch\n'),
    },
    {
      id: 'llamafactory-tokenized-path-ends-run',
      severity: 'hint',
      summary: 'Up to release 0.9.1, a run with `tokenized_path` ends after tokenizing.',
      when: { on: ['do_train'], stated: ['tokenized_path'] },
      at: ['tokenized_path'],
      message: template(
        'LLaMA-Factory up to 0.9.1 stops after tokenizing, because of {tokenized_path}. Newer releases train afterwards, with the memory that Headroom shows.',
      ),
      meaning:
        'Releases up to 0.9.1 exit once they have saved the tokenized data, unless the folder has it already. Releases from 0.9.2 on save it and train.',
      advice: 'With an old release, run the config a second time: it then loads the saved data and trains.',
      source: 'data/loader.py, get_dataset: sys.exit(0) in 0.9.1, none in 0.9.2 to 0.9.4',
      example: lora('tokenized_path: saves/data\n'),
      counterexample: lora(''),
    },
    {
      id: 'llamafactory-layerwise-accumulates',
      severity: 'error',
      summary: "A layer-wise optimizer doesn't work with gradient accumulation.",
      when: {
        anyOn: ['galore_layerwise', 'apollo_layerwise'],
        above: { gradient_accumulation_steps: 1 },
      },
      at: ['gradient_accumulation_steps', 'galore_layerwise', 'apollo_layerwise'],
      message: template(
        'LLaMA-Factory rejects {gradient_accumulation_steps} with a layer-wise optimizer. It uses each gradient at once, so none is left to accumulate.',
      ),
      meaning: 'The step of a layer happens inside backward, and its gradient is gone afterwards.',
      advice: 'Set `gradient_accumulation_steps: 1`, or turn the layer-wise switch off.',
      set: { key: 'gradient_accumulation_steps', to: 1 },
      source: 'train/trainer_utils.py L251',
      example: full(
        'use_galore: true\noptim: adamw_torch\ngalore_layerwise: true\ngradient_accumulation_steps: 8\n',
      ),
      counterexample: full(
        'use_galore: true\noptim: adamw_torch\ngalore_layerwise: true\ngradient_accumulation_steps: 1\n',
      ),
    },
    {
      id: 'llamafactory-galore-optimizer',
      severity: 'error',
      summary: 'GaLore supports five optimizers.',
      when: {
        on: ['use_galore'],
        isNot: {
          optim: ['adamw_torch', 'adamw_bnb_8bit', 'adamw_8bit', 'paged_adamw_8bit', 'adafactor'],
        },
      },
      at: ['optim', 'use_galore'],
      message: template(
        '{optim} has no GaLore counterpart: training stops with NotImplementedError. Use adamw_torch, adamw_8bit, paged_adamw_8bit or adafactor.',
      ),
      meaning: 'GaLore has its own optimizers, and `optim` chooses one.',
      advice: 'Set `optim: adamw_torch`. The quick fix does this.',
      set: { key: 'optim', to: 'adamw_torch' },
      source: 'train/trainer_utils.py L239-246',
      example: full('use_galore: true\noptim: adamw_torch_fused\n'),
      counterexample: full('use_galore: true\noptim: adamw_8bit\n'),
    },
    {
      id: 'llamafactory-galore-default-optimizer',
      severity: 'warning',
      summary: 'GaLore does not know the optimizer that is chosen when nothing is said.',
      when: { on: ['use_galore'], absent: ['optim'], since: { transformers: '4.54.0' } },
      at: ['use_galore'],
      message: template(
        '{use_galore} without optim. With torch 2.8 or newer transformers takes adamw_torch_fused, for which GaLore raises NotImplementedError. Write optim: adamw_torch.',
      ),
      meaning: 'The default of `optim` became the fused AdamW, which has no GaLore counterpart.',
      advice: 'Set `optim: adamw_torch`. The quick fix does this.',
      set: { key: 'optim', to: 'adamw_torch' },
      source: 'train/trainer_utils.py L239-246; transformers training_args.py',
      example: full('use_galore: true\n'),
      counterexample: full('use_galore: true\noptim: adamw_torch\n'),
    },
    {
      id: 'llamafactory-unsloth-with-zero3',
      severity: 'error',
      summary: "Unsloth doesn't work with ZeRO-3.",
      when: { on: ['use_unsloth'], equals: { zeroStage: 3 } },
      at: ['use_unsloth', 'deepspeed'],
      message: template(
        '{use_unsloth} with ZeRO-3 is rejected: its kernels need whole weights. Use ZeRO-2, or turn Unsloth off.',
      ),
      meaning: 'LLaMA-Factory checks the arguments before training and raises a ValueError.',
      advice: 'Use a file for ZeRO-2, or set `use_unsloth: false`.',
      source: 'hparams/parser.py L532',
      example: lora(`${ZERO3}use_unsloth: true\n`),
      counterexample: lora(`${ZERO2}use_unsloth: true\n`),
    },
    {
      id: 'llamafactory-8bit-with-zero3',
      severity: 'error',
      summary: "Eight-bit weights don't work with ZeRO-3.",
      when: { above: { quantization_bit: 7 }, equals: { zeroStage: 3 } },
      at: ['quantization_bit', 'deepspeed'],
      message: template(
        '{quantization_bit} with ZeRO-3 is rejected. Only 4-bit weights of bitsandbytes can be sharded. Use 4 bits, or ZeRO-2.',
      ),
      meaning: '8-bit weights have states that can’t be gathered.',
      advice: 'Set `quantization_bit: 4`, or name a file for ZeRO-2.',
      source: 'model/model_utils/quantization.py',
      example: lora(`${ZERO3}quantization_bit: 8\n`),
      counterexample: lora(`${ZERO3}quantization_bit: 4\n`),
    },
    {
      id: 'llamafactory-generation-with-zero3',
      severity: 'error',
      summary: "`predict_with_generate` doesn't work with ZeRO-3.",
      when: { on: ['predict_with_generate'], equals: { zeroStage: 3 } },
      at: ['predict_with_generate', 'deepspeed'],
      message: template(
        '{predict_with_generate} with ZeRO-3 is rejected. Generation would gather every weight for every token.',
      ),
      meaning: 'LLaMA-Factory checks the arguments before training and raises a ValueError.',
      advice: 'Remove `predict_with_generate`, or predict in a separate run.',
      source: 'hparams/parser.py',
      example: lora(`${ZERO3}predict_with_generate: true\n`),
      counterexample: lora(`${ZERO2}predict_with_generate: true\n`),
    },
    {
      id: 'llamafactory-checkpointing-key',
      severity: 'warning',
      summary: '`gradient_checkpointing` does not turn checkpointing off.',
      when: {
        stated: ['gradient_checkpointing'],
        off: ['gradient_checkpointing', 'disable_gradient_checkpointing'],
      },
      at: ['gradient_checkpointing'],
      message: template(
        '{gradient_checkpointing} has no effect. LLaMA-Factory checkpoints unless disable_gradient_checkpointing is true.',
      ),
      meaning: 'LLaMA-Factory accepts the key of transformers, but prepares the model with its own key.',
      advice: 'Write `disable_gradient_checkpointing: true` if you want to keep activations.',
      source: 'hparams/model_args.py L145; model/model_utils/checkpointing.py',
      example: lora('gradient_checkpointing: false\n'),
      counterexample: lora('gradient_checkpointing: false\ndisable_gradient_checkpointing: true\n'),
    },
    {
      id: 'llamafactory-two-evaluation-sets',
      severity: 'error',
      summary: '`val_size` and `eval_dataset` cannot be combined.',
      when: { stated: ['eval_dataset'], above: { val_size: 0 } },
      at: ['val_size', 'eval_dataset'],
      message: template(
        'LLaMA-Factory rejects {val_size} together with {eval_dataset}. One splits the training data, the other names separate data.',
      ),
      meaning: 'LLaMA-Factory checks the arguments before it loads anything, and raises a ValueError.',
      advice: 'Remove one of the two.',
      source: 'hparams/data_args.py',
      example: lora('eval_dataset: alpaca_en_demo\nval_size: 0.1\n'),
      counterexample: lora('eval_dataset: alpaca_en_demo\n'),
    },
    {
      id: 'llamafactory-streaming-without-steps',
      severity: 'error',
      summary: 'Streamed data needs `max_steps`.',
      when: { on: ['streaming'], absent: ['max_steps'] },
      at: ['streaming'],
      message: template(
        'LLaMA-Factory rejects {streaming} without max_steps. Streamed data has no length, so max_steps must set the end.',
      ),
      meaning: 'A stream has no countable epochs.',
      advice: 'Add `max_steps`.',
      source: 'hparams/parser.py',
      example: lora('streaming: true\n'),
      counterexample: lora('streaming: true\nmax_steps: 1000\n'),
    },
    {
      id: 'llamafactory-keys-of-the-data',
      severity: 'error',
      summary: 'The training config has keys of `dataset_info.json`.',
      when: { anyOn: ['formatting', 'messages', 'role_tag', 'content_tag'] },
      at: ['formatting', 'messages', 'role_tag', 'content_tag'],
      message: template(
        'This key belongs in dataset_info.json. Here it is an unknown key, which stops LLaMA-Factory unless ALLOW_EXTRA_ARGS is 1.',
      ),
      meaning: 'Every key must be an argument of one of its classes; others raise a ValueError.',
      advice: 'Move the keys to the entry of the dataset in `data/dataset_info.json`.',
      source: 'hparams/parser.py L158-161, L311',
      example: lora('formatting: sharegpt\nmessages: conversations\n'),
      counterexample: lora('dataset: alpaca_en_demo\n'),
    },
  ],
};
