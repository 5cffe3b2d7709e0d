import assert from 'node:assert/strict';
import fc from 'fast-check';
import { ruleContext } from '../../../src/core/rules/check';
import { placeOf } from '../../../src/core/rules/locate';
import { allRules } from '../../../src/core/rules/allRules';
import { assertSentence } from './cases';
import { estimateOf, llama, v100 } from './facts';
import { runsOf } from './findings';
import { tries } from '../../tries';

const beginnings = [
  'base_model: m/m\nmicro_batch_size: 2\nsequence_len: 512\n',
  'model_name_or_path: m/m\nuse_peft: true\nnum_generations: 8\nper_device_train_batch_size: 2\n',
  'output_dir: o\nper_device_train_batch_size: 8\nnum_train_epochs: 1\nsave_strategy: steps\nlogging_steps: 1\n',
  'distributed_type: FSDP\nnum_processes: 8\nnum_machines: 1\n',
  'zero_optimization:\n  stage: 2\ntrain_micro_batch_size_per_gpu: 2\n',
];
/** Keys that rules read; nested ones occur as values of their parents. */
const keys = [
  ...['adapter', 'load_in_4bit', 'deepspeed', 'fsdp', 'fsdp_version', 'optimizer', 'optim', 'plugins', 'rl'],
  ...[
    'datasets',
    'sample_packing',
    'packing',
    'max_length',
    'padding_free',
    'attn_implementation',
    'bf16',
    'fp16',
  ],
  ...[
    'batch_size',
    'gradient_accumulation_steps',
    'context_parallel_size',
    'tensor_parallel_size',
    'use_vllm',
  ],
  ...['fsdp_config', 'deepspeed_config', 'trl', 'gradient_checkpointing_kwargs', 'eval_batch_size', 'lora_r'],
];
const value = fc.constantFrom(
  ...['true', 'false', 'null', '', '0', '1', '-3', '7.5', '.nan', 'auto', 'lora', 'grpo', 'muon', '[]', '{}'],
  ...['[1, null, {a: b}]', '{fsdp_version: 2}', '{num_generations: 0}', '${X}', '!tag x', '"quoted: text"'],
  ...[
    '{zero_stage: 2, offload_param_device: cpu}',
    'adamw_8bit',
    '*gone',
    '[axolotl.integrations.liger.LigerPlugin]',
  ],
);

describe('rules on arbitrary input', () => {
  it('never fail, and always speak in sentences at a place', async () => {
    const config = fc.tuple(fc.constantFrom(...beginnings), fc.dictionary(fc.constantFrom(...keys), value));
    await fc.assert(
      fc.asyncProperty(config, async ([beginning, extra]) => {
        const text =
          beginning +
          Object.entries(extra)
            .map(([key, written]) => `${key}: ${written}\n`)
            .join('');
        for (const run of await runsOf(text)) {
          const facts = { run, model: llama, target: v100, estimate: estimateOf('exceeds', 30), missing: [] };
          const context = ruleContext(facts);
          for (const rule of allRules.filter(one => one.dialects?.includes(run.dialect) ?? true)) {
            for (const report of rule.check(context)) {
              assertSentence(report.message);
              assert.notEqual(placeOf(run, report.at).file, '', rule.id);
            }
          }
        }
      }),
      { numRuns: tries(50) },
    );
  });
});
