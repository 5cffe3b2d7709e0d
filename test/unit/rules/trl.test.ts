import assert from 'node:assert/strict';
import { checkCase } from './cases';
import type { Case } from './cases';
import { llama, rtx4090 } from './facts';
import { findingsOf } from './findings';

const base = `model_name_or_path: NousResearch/Llama-2-7b-hf
dtype: bfloat16
attn_implementation: flash_attention_2
dataset_name: trl-lib/Capybara
dataset_text_field: text
per_device_train_batch_size: 2
gradient_accumulation_steps: 4
gradient_checkpointing: true
learning_rate: 2.0e-05
bf16: true
max_length: 2048
packing: false
`;
const without = (key: string) => base.replace(new RegExp(`^${key}:.*\n`, 'm'), '');
const lora = `${base}use_peft: true\nlora_r: 16\nlora_alpha: 32\n`;
const dpo = `${without('packing').replace('dataset_text_field: text\n', '')}beta: 0.1\nloss_type: sigmoid\n`;
const grpo = `${without('packing').replace('dataset_text_field: text\n', '')}num_generations: 8\nreward_funcs: [accuracy]\n`;
const inDpo = { file: '/project/recipes/dpo/config.yaml' };
const ds = (content: object) => ({ files: { 'ds.json': JSON.stringify(content) } });
const named = `${base}deepspeed: ds.json\n`;
const zero3 = { zero_optimization: { stage: 3 } };
const launcher = (steps: number) => ({
  files: {
    'acc.yaml': `compute_environment: LOCAL_MACHINE\ndistributed_type: DEEPSPEED\nnum_machines: 1\nnum_processes: 8\ndeepspeed_config:\n  zero_stage: 2\n  gradient_accumulation_steps: ${steps}\n`,
  },
});

const cases: readonly Case[] = [
  { rule: 'fp16-and-bf16', at: 'fp16', fires: `${base}fp16: true\n`, silent: `${base}fp16: false\n` },
  {
    rule: 'renamed-key',
    at: 'torch_dtype',
    fires: base.replace('dtype:', 'torch_dtype:'),
    silent: base,
    says: /`torch_dtype` stops TRL 0\.27 and newer, .* Write dtype when you upgrade\./,
  },
  {
    rule: 'renamed-key',
    at: 'overwrite_output_dir',
    fires: `${base}overwrite_output_dir: true\n`,
    silent: base,
    says: /Remove it when you upgrade/,
  },
  {
    rule: 'fp32-weights',
    at: 'bf16',
    fires: without('dtype'),
    silent: without('bf16'),
    surroundings: { model: llama, target: rtx4090 },
    says: /weights in fp32, .* 25\.1 GB instead of 12\.6 GB/,
  },
  {
    rule: 'fp32-weights',
    at: 'bf16',
    fires: lora.replace('dtype: bfloat16\n', ''),
    silent: lora.replace('dtype: bfloat16', 'dtype: auto'),
    says: /frozen base weights in fp32/,
  },
  {
    rule: 'fp32-quantised-compute',
    at: 'load_in_4bit',
    fires: `${lora.replace('dtype: bfloat16\n', '')}load_in_4bit: true\n`,
    silent: `${lora}load_in_4bit: true\n`,
  },
  {
    rule: 'quantised-without-peft',
    at: 'load_in_4bit',
    fires: `${base}load_in_4bit: true\n`,
    silent: `${lora}load_in_4bit: true\n`,
  },
  {
    rule: 'deepspeed-and-fsdp',
    at: 'fsdp',
    fires: `${named}fsdp: full_shard auto_wrap\n`,
    silent: `${named}fsdp: ''\n`,
    surroundings: ds(zero3),
  },
  {
    rule: 'deepspeed-mismatch',
    at: 'gradient_accumulation_steps',
    fires: named,
    silent: named,
    surroundings: ds({ ...zero3, gradient_accumulation_steps: 8 }),
    innocent: ds({ ...zero3, gradient_accumulation_steps: 'auto' }),
    says: /`gradient_accumulation_steps: 8`, the arguments 4/,
  },
  {
    rule: 'deepspeed-mismatch',
    at: 'train_batch_size',
    fires: named,
    silent: named,
    surroundings: { ...ds({ ...zero3, train_batch_size: 128 }), given: { gpus: 8, effectiveBatch: 64 } },
    // Without the number of GPUs, the total is unknown.
    innocent: ds({ ...zero3, train_batch_size: 128 }),
  },
  {
    rule: 'deepspeed-mismatch',
    at: 'learning_rate',
    fires: named,
    silent: named,
    surroundings: ds({ ...zero3, optimizer: { type: 'AdamW', params: { lr: 0.0001 } } }),
    innocent: ds({ ...zero3, optimizer: { type: 'AdamW', params: { lr: 0.00002 } } }),
  },
  {
    rule: 'deepspeed-mismatch',
    at: 'bf16',
    fires: named,
    silent: named,
    surroundings: ds({ ...zero3, bf16: { enabled: false } }),
    innocent: ds({ ...zero3, bf16: { enabled: true } }),
    says: /`bf16\.enabled: false`, the arguments true/,
  },
  {
    rule: 'deepspeed-batch',
    at: 'train_batch_size',
    fires: named,
    silent: named,
    surroundings: ds({
      ...zero3,
      train_batch_size: 30,
      train_micro_batch_size_per_gpu: 2,
      gradient_accumulation_steps: 4,
    }),
    innocent: ds({
      ...zero3,
      train_batch_size: 32,
      train_micro_batch_size_per_gpu: 2,
      gradient_accumulation_steps: 4,
    }),
  },
  {
    rule: 'accumulation-in-two-files',
    at: 'gradient_accumulation_steps',
    fires: `${base}accelerate_config: acc.yaml\n`,
    silent: `${base}accelerate_config: acc.yaml\n`,
    surroundings: launcher(1),
    innocent: launcher(4),
  },
  {
    rule: 'padding-free-length',
    at: 'padding_free',
    fires: `${base}padding_free: true\n`,
    silent: `${base.replace('max_length: 2048', 'max_length: null')}padding_free: true\n`,
  },
  {
    // An older TRL, as max_seq_length shows, accepts it.
    rule: 'padding-free-length',
    at: 'padding_free',
    fires: `${without('max_length')}padding_free: true\n`,
    silent: `${base.replace('max_length', 'max_seq_length')}padding_free: true\n`,
  },
  {
    rule: 'padding-free-single-row',
    at: 'padding_free',
    fires: `${base.replace('batch_size: 2', 'batch_size: 1')}padding_free: true\n`,
    silent: `${base}padding_free: true\n`,
  },
  {
    rule: 'packing-without-flash',
    at: 'packing',
    fires: without('attn_implementation').replace('packing: false', 'packing: true'),
    silent: base.replace('packing: false', 'packing: true'),
    says: /with sdpa attention/,
  },
  {
    rule: 'packing-without-flash',
    at: 'packing',
    fires: `${without('attn_implementation').replace('packing: false', 'packing: true')}packing_strategy: bfd\n`,
    silent: `${without('attn_implementation').replace('packing: false', 'packing: true')}packing_strategy: wrapped\n`,
  },
  {
    rule: 'packing-without-length',
    at: 'max_length',
    fires: base.replace('packing: false', 'packing: true').replace('2048', 'null'),
    silent: base.replace('packing: false', 'packing: true'),
  },
  {
    rule: 'preference-pairs',
    at: 'per_device_train_batch_size',
    fires: dpo,
    silent: base,
    surroundings: inDpo,
    innocent: {},
    says: /4 sequences run at a time/,
  },
  {
    rule: 'reference-model-copy',
    at: 'model_name_or_path',
    fires: dpo,
    silent: `${dpo}precompute_ref_log_probs: true\n`,
    surroundings: { ...inDpo, model: llama },
    says: /as reference, 12\.6 GB more/,
  },
  {
    rule: 'grpo-groups',
    at: 'num_generations',
    fires: grpo.replace('num_generations: 8', 'num_generations: 16'),
    silent: grpo.replace('num_generations: 8', 'num_generations: 16'),
    surroundings: { given: { gpus: 3 } },
    innocent: { given: { gpus: 2 } },
    says: /24 completions .* not a multiple of 16 .* 2 × 3 GPUs × 4/,
  },
  {
    rule: 'grpo-groups',
    at: 'num_generations',
    fires: grpo.replace('num_generations: 8', 'num_generations: 6\ngeneration_batch_size: 32'),
    // The number of GPUs is unknown, so there is no finding.
    silent: grpo.replace('num_generations: 8', 'num_generations: 7'),
  },
  {
    rule: 'auto-batch-with-grpo',
    at: 'auto_find_batch_size',
    fires: `${grpo}auto_find_batch_size: true\n`,
    silent: `${base}auto_find_batch_size: true\n`,
  },
  {
    rule: 'auto-batch-with-zero3',
    at: 'auto_find_batch_size',
    fires: `${named}auto_find_batch_size: true\n`,
    silent: `${named}auto_find_batch_size: true\n`,
    surroundings: ds(zero3),
    innocent: ds({ zero_optimization: { stage: 2 } }),
  },
  {
    rule: 'auto-batch-size',
    at: 'auto_find_batch_size',
    fires: `${base}auto_find_batch_size: true\n`,
    silent: `${base}auto_find_batch_size: false\n`,
  },
  {
    rule: 'vllm-shares-gpu',
    at: 'use_vllm',
    fires: `${grpo}use_vllm: true\n`,
    silent: `${grpo}use_vllm: true\nvllm_mode: server\n`,
    surroundings: { target: rtx4090 },
    says: /takes 30 % of each training GPU \(7\.2 GB\)/,
  },
  {
    rule: 'colocated-engine',
    at: 'vllm_gpu_memory_utilization',
    fires: `${grpo}use_vllm: true\nvllm_mode: colocate\nvllm_gpu_memory_utilization: 0.3\nmax_completion_length: 512\n`,
    silent: `${grpo}use_vllm: true\nvllm_mode: colocate\nvllm_gpu_memory_utilization: 0.75\nmax_completion_length: 512\n`,
    surroundings: { model: llama, target: rtx4090 },
    says: /The engine's share 0\.3 holds no completion of [\d,]+ tokens: it takes 1[234]\.\d GB first\. Raise it to 0\.6\d/,
  },
  {
    rule: 'colocated-engine',
    at: 'vllm_gpu_memory_utilization',
    fires: `${grpo}use_vllm: true\nvllm_mode: colocate\nvllm_gpu_memory_utilization: 1.0\nmax_completion_length: 512\n`,
    silent: `${grpo}use_vllm: true\nvllm_mode: colocate\nvllm_gpu_memory_utilization: 0.9\nmax_completion_length: 512\n`,
    surroundings: { model: llama, target: rtx4090 },
    says: /The engine refuses to start: less than its share 1 is free\. Lower it to 0\.9\d/,
  },
  {
    rule: 'vllm-shares-gpu',
    at: 'use_vllm',
    fires: `${grpo}use_vllm: true\n`,
    silent: `${grpo}use_vllm: true\nvllm_enable_sleep_mode: true\n`,
  },
  {
    rule: 'fsdp-checkpointing',
    at: 'gradient_checkpointing',
    fires: `${base}fsdp: full_shard\n`,
    silent: `${base.replace('gradient_checkpointing: true', 'gradient_checkpointing: false')}fsdp: full_shard\n`,
  },
  {
    rule: 'gpu-comment',
    at: 'per_device_train_batch_size',
    fires: `# Trained on 8 GPUs\n${base}`,
    silent: `# Trained on 8 GPUs\n${base}`,
    innocent: { given: { gpus: 8 } },
    says: /names 8 GPUs/,
  },
  {
    rule: 'data-parallel',
    at: 'per_device_train_batch_size',
    fires: base,
    silent: base,
    surroundings: { target: { ...rtx4090, kind: 'present', count: 4 } },
    innocent: { target: { ...rtx4090, kind: 'planned', count: 4 } },
    says: /--nproc_per_node 4\./,
  },
];

describe('rules of TRL', () => {
  for (const one of cases) checkCase(one);

  it('says nothing against sound configs', async () => {
    for (const text of [base, lora, dpo, grpo]) {
      const loud = (await findingsOf(text)).filter(
        ({ severity }) => severity === 'error' || severity === 'warning',
      );
      assert.deepEqual(loud, []);
    }
  });
});
