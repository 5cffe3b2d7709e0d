import assert from 'node:assert/strict';
import { searchPlans } from '../../../src/core/plan/search';
import { applyEdits } from '../../../src/core/text/textEdit';
import { axolotl, contextOf, judge, judged } from '../../unit/core/support';

const FULL = axolotl({
  adapter: '',
  lora_r: '',
  lora_alpha: '',
  lora_target_linear: '',
  micro_batch_size: 1,
  sequence_len: 2048,
});

const TRL = `model_name_or_path: meta-llama/Llama-3.1-8B
dtype: bfloat16
bf16: true
max_length: 1024
packing: true
per_device_train_batch_size: 1
gradient_accumulation_steps: 8
gradient_checkpointing: true
attn_implementation: flash_attention_2
learning_rate: 2.0e-5
dataset_name: trl-lib/Capybara
output_dir: out
`;

const FACTORY = `model_name_or_path: meta-llama/Llama-3.1-8B
stage: sft
do_train: true
finetuning_type: full
dataset: identity
template: llama3
cutoff_len: 1024
per_device_train_batch_size: 1
gradient_accumulation_steps: 8
bf16: true
output_dir: out
`;

async function plansOf(text: string, mayTrade = true) {
  const context = contextOf(await judged(text));
  const options = { goal: 'fit', margin: 0.85, mayTrade } as const;
  return searchPlans(context, options, () => Promise.resolve(), { aborted: false });
}

describe('adapters instead of all weights', () => {
  for (const [name, text] of [
    ['Axolotl', FULL],
    ['TRL', TRL],
    ['LLaMA-Factory', FACTORY],
  ] as const) {
    it(`are offered if nothing milder is enough, in the words of ${name}`, async () => {
      const { plans } = await plansOf(text);
      const [plan] = plans;
      assert.match(plan?.effect ?? '', /adapters .*ten times the learning rate/);
      assert.ok(plan && plan.after.verdict !== 'exceeds');
      const { runs } = await judge({
        'config.yaml': applyEdits(
          text,
          plan.edits.map(({ edit }) => edit),
        ),
      });
      assert.match(runs[0]?.run.quantities.method.value ?? '', /^q?lora$/);
      assert.equal(runs[0]?.estimate?.devices[0]?.device.expected, plan.after.device.expected);
    });
  }

  it('change the training, so they are not offered if the result must stay', async () => {
    const { plans, rejected, least } = await plansOf(FULL, false);
    assert.deepEqual(plans, []);
    assert.ok(rejected.some(({ remedy }) => remedy === 'adapters instead of all weights'));
    assert.ok(least && least.device.expected > 24 * 2 ** 30, 'how much is missing all the same');
  });

  it('are not offered for training from random weights', async () => {
    const { rejected, plans } = await plansOf(`${FULL}pretraining_dataset: allenai/c4\n`);
    const said = JSON.stringify([rejected, plans.map(({ id }) => id)]);
    assert.doesNotMatch(said, /adapters/);
  });
});
