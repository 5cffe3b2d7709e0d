import assert from 'node:assert/strict';
import { checkCase } from './cases';
import type { Case } from './cases';
import { findingsOf } from './findings';

const base = `output_dir: out
per_device_train_batch_size: 8
per_device_eval_batch_size: 8
gradient_accumulation_steps: 2
num_train_epochs: 3
learning_rate: 5.0e-05
lr_scheduler_type: linear
save_strategy: steps
logging_steps: 10
dataloader_num_workers: 4
bf16: true
`;
const nested = `model:\n  name: bert-base-uncased\ntraining_args:\n${base.replace(/^/gm, '  ').trimEnd()}\n`;

const cases: readonly Case[] = [
  { rule: 'fp16-and-bf16', at: 'fp16', fires: `${base}fp16: true\n`, silent: base },
  {
    rule: 'fp16-and-bf16',
    at: 'training_args.fp16',
    fires: `${nested}  fp16: true\n`,
    silent: `${nested}  fp16: \${FP16}\n`,
  },
  {
    rule: 'renamed-key',
    at: 'evaluation_strategy',
    fires: `${base}evaluation_strategy: steps\n`,
    silent: `${base}eval_strategy: steps\n`,
    says: /Write eval_strategy/,
  },
  {
    rule: 'eval-predictions-on-gpu',
    at: 'eval_strategy',
    fires: `${base}eval_strategy: epoch\n`,
    silent: `${base}eval_strategy: epoch\neval_accumulation_steps: 8\n`,
  },
  {
    rule: 'eval-predictions-on-gpu',
    at: 'eval_strategy',
    fires: `${base}eval_strategy: steps\n`,
    silent: `${base}eval_strategy: 'no'\n`,
  },
  {
    rule: 'quoted-false',
    at: 'gradient_checkpointing',
    fires: `${base}gradient_checkpointing: "false"\n`,
    silent: `${base}gradient_checkpointing: false\n`,
  },
  {
    rule: 'misspelt-optimizer',
    at: 'optim',
    fires: `${base}optim: adamw_tourch\n`,
    silent: `${base}optim: adamw_torch\n`,
    says: /Did you mean `adamw_torch`\?/,
  },
];

describe('rules of the Hugging Face Trainer', () => {
  for (const one of cases) checkCase(one);

  it('says nothing against sound configs', async () => {
    for (const text of [base, nested]) {
      const loud = (await findingsOf(text)).filter(
        ({ severity }) => severity === 'error' || severity === 'warning',
      );
      assert.deepEqual(loud, []);
    }
  });
});
