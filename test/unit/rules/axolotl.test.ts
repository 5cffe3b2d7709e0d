import assert from 'node:assert/strict';
import { checkCase } from './cases';
import type { Case } from './cases';
import { findingsOf } from './findings';

const base = `base_model: NousResearch/Llama-2-7b-hf
datasets:
  - path: mhenrichsen/alpaca_2k_test
    type: alpaca
sequence_len: 2048
micro_batch_size: 2
gradient_accumulation_steps: 4
learning_rate: 0.0002
attn_implementation: flash_attention_2
`;
const without = (key: string) => base.replace(new RegExp(`^${key}:.*\n`, 'm'), '');
const lora = `${base}adapter: lora\nlora_r: 16\nlora_alpha: 32\nlora_target_linear: true\n`;
const qlora = `${lora.replace('adapter: lora', 'adapter: qlora')}load_in_4bit: true\n`;
const fsdp2 = `${base}fsdp_version: 2\nfsdp_config:\n  reshard_after_forward: true\n`;
const plugin = (name: string) => `plugins:\n  - axolotl.integrations.${name}\n`;
const liger = plugin('liger.LigerPlugin');
const cutCrossEntropy = plugin('cut_cross_entropy.CutCrossEntropyPlugin');
const dpo = `${without('sequence_len')}sequence_len: 2048\nrl: dpo\n`;

const cases: readonly Case[] = [
  {
    rule: 'lora-not-quantised',
    at: 'load_in_4bit',
    fires: `${lora}load_in_4bit: true\n`,
    silent: qlora,
  },
  {
    rule: 'lora-not-quantised',
    at: 'load_in_4bit',
    fires: `${lora}load_in_4bit: yes\n`,
    silent: `${lora.replace('Llama-2-7b-hf', 'Llama-2-7b-bnb-4bit')}load_in_4bit: true\n`,
  },
  { rule: 'qlora-not-4bit', at: 'adapter', fires: qlora.replace('load_in_4bit: true\n', ''), silent: qlora },
  { rule: 'qlora-not-4bit', at: 'load_in_4bit', fires: `${qlora}load_in_8bit: true\n`, silent: qlora },
  {
    rule: 'quantised-without-adapter',
    at: 'load_in_8bit',
    fires: `${base}load_in_8bit: true\n`,
    silent: `${lora}load_in_8bit: true\n`,
  },
  {
    rule: 'batch-keys-missing',
    at: 'micro_batch_size',
    fires: without('gradient_accumulation_steps'),
    silent: `${without('gradient_accumulation_steps')}batch_size: 8\n`,
    says: /only `micro_batch_size` is set/,
  },
  {
    rule: 'batch-keys-missing',
    at: 'base_model',
    fires: without('gradient_accumulation_steps').replace('micro_batch_size: 2\n', ''),
    silent: `${without('gradient_accumulation_steps')}gradient_accumulation_steps: \${STEPS}\n`,
    says: /none is set/,
  },
  {
    rule: 'accumulation-and-batch-size',
    at: 'batch_size',
    fires: `${base}batch_size: 8\n`,
    silent: `${without('gradient_accumulation_steps')}batch_size: 8\n`,
  },
  {
    rule: 'batch-size-not-divisible',
    at: 'batch_size',
    fires: `${without('gradient_accumulation_steps')}batch_size: 7\n`,
    silent: `${without('gradient_accumulation_steps')}batch_size: 8\n`,
    says: /down to 3: a step has 6 samples/,
  },
  {
    rule: 'exclusive-keys',
    at: 'warmup_ratio',
    fires: `${base}warmup_steps: 10\nwarmup_ratio: 0.1\n`,
    silent: `${base}warmup_steps: 0\nwarmup_ratio: 0.1\n`,
  },
  {
    rule: 'exclusive-keys',
    at: 'saves_per_epoch',
    fires: `${base}save_steps: 10\nsaves_per_epoch: 1\n`,
    silent: `${base}save_steps:\nsaves_per_epoch: 1\n`,
  },
  {
    rule: 'needs-gradient-checkpointing',
    at: 'activation_offloading',
    fires: `${base}activation_offloading: true\n`,
    silent: `${base}activation_offloading: true\ngradient_checkpointing: true\n`,
  },
  {
    rule: 'fsdp-version-unstated',
    at: 'fsdp_config',
    fires: `${base}fsdp_config:\n  offload_params: true\n`,
    silent: `${base}fsdp_config:\n  version: 2\n  offload_params: true\n`,
  },
  {
    rule: 'fsdp-8bit-optimizer',
    at: 'optimizer',
    fires: `${fsdp2}optimizer: adamw_bnb_8bit\n`,
    silent: `${fsdp2}optimizer: adamw_torch_8bit\n`,
  },
  {
    rule: 'fsdp-8bit-optimizer',
    at: 'optimizer',
    fires: `${base}optimizer: adamw_8bit\nfsdp_config:\n  fsdp_offload_params: true\n`,
    silent: `${base}optimizer: adamw_8bit\nfsdp_config:\n  fsdp_offload_params: false\n`,
  },
  {
    rule: 'fsdp2-quantised-preference',
    at: 'fsdp_version',
    fires: `${qlora}rl: dpo\nfsdp_version: 2\n`,
    silent: `${qlora}rl: dpo\nfsdp_version: 1\n`,
  },
  {
    rule: 'sharding-strategy-dropped',
    at: 'fsdp_config.sharding_strategy',
    fires: `${base}fsdp_config:\n  sharding_strategy: SHARD_GRAD_OP\n`,
    silent: `${base}fsdp_config:\n  sharding_strategy: FULL_SHARD\n`,
  },
  {
    rule: 'deepspeed-and-fsdp',
    at: 'fsdp_config',
    fires: `${fsdp2}deepspeed: deepspeed_configs/zero3.json\n`,
    silent: `${base}deepspeed: deepspeed_configs/zero3.json\nfsdp_config:\n`,
  },
  {
    rule: 'plugin-missing',
    at: 'liger_rms_norm',
    fires: `${base}liger_rope: true\nliger_rms_norm: true\n`,
    silent: `${base}${liger}liger_rope: true\nliger_rms_norm: true\n`,
    says: /liger_rms_norm: true` \(and liger_rope\)/,
  },
  {
    rule: 'plugin-missing',
    at: 'cut_cross_entropy',
    fires: `${base}${liger}cut_cross_entropy: true\n`,
    silent: `${base}plugins: [my_company.plugins.Everything]\ncut_cross_entropy: true\n`,
  },
  {
    rule: 'misspelt-key',
    at: 'gradient_acumulation_steps',
    fires: `${without('gradient_accumulation_steps')}batch_size: 8\ngradient_acumulation_steps: 4\n`,
    silent: `${base}gradient_acumulation_steps: 4\n`,
    says: /Did you mean `gradient_accumulation_steps`\?/,
  },
  {
    rule: 'misspelt-key',
    at: 'context_parapllel_size',
    fires: `${base}context_parapllel_size: 2\n`,
    silent: `${base}my_own_note: 2\nadam_eps: 0.1\n`,
  },
  {
    rule: 'misspelt-optimizer',
    at: 'optimizer',
    fires: `${base}optimizer: adamw_torch_fuse\n`,
    silent: `${base}optimizer: lion_pytorch\n`,
    says: /`adamw_torch_fused`/,
  },
  {
    rule: 'removed-key',
    at: 'datasets[0].type',
    fires: base.replace('type: alpaca', 'type: sharegpt.load'),
    silent: base.replace('type: alpaca', 'type: chat_template'),
  },
  {
    rule: 'removed-key',
    at: 'unsloth_lora_mlp',
    fires: `${base}unsloth_lora_mlp: true\n`,
    silent: `${base}unsloth_lora_mlp: false\n`,
  },
  {
    rule: 'removed-key',
    at: 'save_safetensors',
    fires: `${base}save_safetensors: false\n`,
    silent: `${base}save_safetensors: true\n`,
  },
  {
    rule: 'attention-name',
    at: 'attn_implementation',
    fires: base.replace('flash_attention_2', 'flash'),
    silent: base.replace('flash_attention_2', 'kernels-community/flash-attn3'),
  },
  {
    rule: 'attention-twice',
    at: 'flash_attention',
    fires: `${base}flash_attention: true\n`,
    silent: `${base}flash_attention: false\n`,
  },
  {
    rule: 'packing-with-rl',
    at: 'sample_packing',
    fires: `${dpo}sample_packing: true\n`,
    silent: `${dpo}sample_packing: false\n`,
  },
  {
    rule: 'kto-columns',
    at: 'rl',
    fires: `${base}rl: kto\n`,
    silent: `${base}rl: kto\nremove_unused_columns: false\n`,
  },
  {
    rule: 'optimizer-not-shardable',
    at: 'optimizer',
    fires: `${base}optimizer: muon\ndeepspeed: deepspeed_configs/zero1.json\n`,
    silent: `${fsdp2}optimizer: muon\n`,
  },
  {
    rule: 'optimizer-not-shardable',
    at: 'optimizer',
    fires: `${base}optimizer: flash_adamw\nfsdp: [full_shard, auto_wrap]\n`,
    silent: `${base}optimizer: flash_adamw\n`,
  },
  {
    rule: 'tensor-parallel-8bit-optimizer',
    at: 'optimizer',
    fires: `${base}tensor_parallel_size: 2\noptimizer: adamw_8bit\n`,
    silent: `${base}tensor_parallel_size: 1\noptimizer: adamw_8bit\n`,
  },
  {
    rule: 'tensor-parallel-liger',
    at: 'liger_rms_norm',
    fires: `${base}${liger}tensor_parallel_size: 2\nliger_rms_norm: true\n`,
    silent: `${base}${liger}liger_rms_norm: true\n`,
  },
  {
    rule: 'eval-batch-larger',
    at: 'eval_batch_size',
    fires: `${base}eval_batch_size: 8\n`,
    silent: `${base}eval_batch_size: 1\n`,
  },
  {
    rule: 'axolotl-grpo-groups',
    at: 'trl.num_generations',
    fires: `${base}rl: grpo\ntrl:\n  num_generations: 3\n`,
    silent: `${base}rl: grpo\ntrl:\n  num_generations: 4\n`,
    says: /8 completions per generation batch: not a multiple of 3\. It comes from 2 × 4/,
  },
  {
    rule: 'axolotl-grpo-groups',
    at: 'trl.num_generations',
    fires: `${base}rl: grpo\ntrl:\n  num_generations: 1\n`,
    silent: `${base}rl: grpo\ntrl:\n  num_generations: 16\n  generation_batch_size: 32\n`,
  },
  {
    rule: 'zero3-qlora-reentrant',
    at: 'gradient_checkpointing_kwargs.use_reentrant',
    fires: `${qlora}deepspeed: deepspeed_configs/zero3.json\ngradient_checkpointing_kwargs:\n  use_reentrant: false\n`,
    silent: `${qlora}deepspeed: deepspeed_configs/zero2.json\ngradient_checkpointing_kwargs:\n  use_reentrant: false\n`,
  },
  {
    rule: 'distributed-rl-reentrant',
    at: 'gradient_checkpointing_kwargs.use_reentrant',
    fires: `${qlora}rl: dpo\ngradient_checkpointing: true\ngradient_checkpointing_kwargs:\n  use_reentrant: true\n`,
    silent: `${qlora}rl: dpo\ngradient_checkpointing: true\ngradient_checkpointing_kwargs:\n  use_reentrant: true\n`,
    surroundings: { given: { gpus: 2 } },
    innocent: { given: { gpus: 1 } },
  },
  {
    rule: 'fp8-without-compile',
    at: 'fp8',
    fires: `${base}fp8: true\n`,
    silent: `${base}fp8: true\ntorch_compile: true\n`,
  },
  {
    rule: 'fp8-all-gather',
    at: 'fp8_enable_fsdp_float8_all_gather',
    fires: `${base}fp8: true\nfp8_enable_fsdp_float8_all_gather: true\n`,
    silent: `${fsdp2}fp8: true\nfp8_enable_fsdp_float8_all_gather: true\n`,
  },
  {
    rule: 'lora-rank-unset',
    at: 'lora_r',
    fires: lora.replace('lora_alpha: 32\n', ''),
    silent: lora.replace('lora_alpha: 32\n', 'lora_model_dir: ./adapter\n'),
    says: /no default for lora_alpha/,
  },
  {
    rule: 'lora-targets-unset',
    at: 'lora_target_linear',
    fires: lora.replace('lora_target_linear: true', 'lora_target_linear: false'),
    silent: lora.replace('lora_target_linear: true', 'lora_target_modules: [q_proj]'),
  },
  { rule: 'sequence-length-default', at: 'base_model', fires: without('sequence_len'), silent: base },
  { rule: 'pure-bf16', at: 'bf16', fires: `${base}bf16: true\n`, silent: `${fsdp2}bf16: true\n` },
  {
    rule: 'cross-entropy-twice',
    at: 'liger_cross_entropy',
    fires: `${base}cut_cross_entropy: true\nliger_cross_entropy: true\n`,
    silent: `${base}cut_cross_entropy: true\nliger_cross_entropy: false\n`,
  },
  {
    rule: 'cut-cross-entropy-precision',
    at: 'cut_cross_entropy',
    fires: `${base}${cutCrossEntropy}cut_cross_entropy: true\n`,
    silent: `${base}${cutCrossEntropy}cut_cross_entropy: true\nbf16: auto\n`,
  },
  {
    rule: 'dataset-split-ignored',
    at: 'datasets[0].train_on_split',
    fires: base.replace('type: alpaca', 'type: alpaca\n    train_on_split: train'),
    silent: base.replace('type: alpaca', 'type: alpaca\n    split: train\n    train_on_split: train'),
  },
  {
    rule: 'packing-without-isolation',
    at: 'sample_packing',
    fires: `${without('attn_implementation')}sample_packing: true\n`,
    silent: `${without('attn_implementation')}sample_packing: true\nsdp_attention: true\n`,
  },
  {
    rule: 'context-parallel',
    at: 'context_parallel_size',
    fires: `${without('attn_implementation')}context_parallel_size: 2\n`,
    silent: `${base}context_parallel_size: 2\n`,
  },
  {
    rule: 'context-parallel',
    at: 'micro_batch_size',
    fires: `${base}context_parallel_size: 2\nsample_packing: true\n`,
    silent: `${base.replace('micro_batch_size: 2', 'micro_batch_size: 1')}context_parallel_size: 2\nsample_packing: true\n`,
  },
  {
    rule: 'batch-flattening',
    at: 'batch_flattening',
    fires: `${base}sample_packing: true\nbatch_flattening: true\n`,
    silent: `${base}sample_packing: true\nbatch_flattening: auto\n`,
  },
  {
    rule: 'lora-kernels',
    at: 'lora_mlp_kernel',
    fires: `${lora}load_in_8bit: true\nlora_mlp_kernel: true\n`,
    silent: `${lora}load_in_8bit: true\nlora_mlp_kernel: false\n`,
  },
  {
    rule: 'fp16-ignored',
    at: 'fp16',
    fires: `${base}bf16: true\nfp16: true\n`,
    silent: `${base}bf16: auto\nfp16: true\n`,
  },
];

describe('rules of Axolotl', () => {
  for (const one of cases) checkCase(one);

  it('says nothing against sound configs', async () => {
    for (const text of [base, lora, qlora, fsdp2, dpo]) {
      const loud = (await findingsOf(text)).filter(
        ({ severity }) => severity === 'error' || severity === 'warning',
      );
      assert.deepEqual(loud, []);
    }
  });

  it('suggests the accumulation that makes whole groups', async () => {
    const text = `${base}rl: grpo\ntrl:\n  num_generations: 6\n`;
    const found = (await findingsOf(text)).find(({ rule }) => rule === 'axolotl-grpo-groups');
    assert.deepEqual(found?.report.remedies?.[0]?.changes, [{ key: 'gradient_accumulation_steps', to: 3 }]);
  });
});
