import assert from 'node:assert/strict';
import { featuresOf, isSameRun } from '../../../src/core/learn/features';
import { runOf } from '../dialects/support';

const CONFIG = `base_model: Qwen/Qwen2.5-0.5B
adapter: lora
lora_r: 16
lora_alpha: 32
lora_target_linear: true
datasets:
  - path: tatsu-lab/alpaca
    type: alpaca
sequence_len: 2048
micro_batch_size: 4
gradient_accumulation_steps: 2
eval_batch_size: 4
val_set_size: 0.1
num_epochs: 1
optimizer: adamw_torch
bf16: true
learning_rate: 2e-4
output_dir: out
`;

const SPLITS: readonly (readonly [what: string, from: string | RegExp, to: string])[] = [
  ['the batch of evaluation', 'eval_batch_size: 4', 'eval_batch_size: 64'],
  ['the data, whose rows may be longer', 'tatsu-lab/alpaca', 'org/long'],
  ['how data become rows', 'type: alpaca', 'type: chat_template'],
  ['packing', 'bf16: true', 'bf16: true\nsample_packing: true'],
  ['the rank of adapters', 'lora_r: 16', 'lora_r: 64'],
  ['the optimizer', 'adamw_torch', 'adamw_8bit'],
  ['the length', '2048', '4096'],
  ['the batch', 'micro_batch_size: 4', 'micro_batch_size: 8'],
  ['recomputing', 'bf16: true', 'bf16: true\ngradient_checkpointing: true'],
  ['whether gradients are kept between steps', 'steps: 2', 'steps: 1'],
];

const SAME: readonly (readonly [what: string, from: string, to: string])[] = [
  ['the learning rate', '2e-4', '1e-5'],
  ['the epochs', 'num_epochs: 1', 'num_epochs: 3'],
  ['the steps', 'num_epochs: 1', 'max_steps: 100'],
  ['the folder of results', 'output_dir: out', 'output_dir: other'],
  ['more steps to an update', 'steps: 2', 'steps: 8'],
  ['a seed', 'bf16: true', 'bf16: true\nseed: 7'],
];

describe('a run that was measured', () => {
  const isSame = async (from: string | RegExp, to: string, config = CONFIG): Promise<boolean> => {
    const changed = config.replace(from, to);
    assert.notEqual(changed, config);
    const [one, other] = [await runOf(config), await runOf(changed)];
    return isSameRun(featuresOf(one), featuresOf(other));
  };
  for (const [what, from, to] of SPLITS) {
    it(`is another one with another value: ${what}`, async () => assert.equal(await isSame(from, to), false));
  }
  for (const [what, from, to] of SAME) {
    it(`is the same with another value: ${what}`, async () => assert.equal(await isSame(from, to), true));
  }

  it('is the same with other data where rows are filled, and with an evaluation that never is', async () => {
    const packed = CONFIG.replace('bf16: true', 'bf16: true\nsample_packing: true');
    assert.equal(await isSame('tatsu-lab/alpaca', 'org/long', packed), true);
    const alone = CONFIG.replace('val_set_size: 0.1', 'val_set_size: 0');
    assert.equal(await isSame('eval_batch_size: 4', 'eval_batch_size: 64', alone), true);
  });
});
