import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { fitsFirst } from '../../../src/core/plan/order';
import type { Goal, Plan, PlanSearch } from '../../../src/core/plan/plan';
import { searchPlans } from '../../../src/core/plan/search';
import { noneText } from '../../../src/core/render/text';
import { axolotl, contextOf, judged } from '../../unit/core/support';

const FULL = `base_model: microsoft/phi-2
sequence_len: 1024
micro_batch_size: 4
gradient_accumulation_steps: 1
optimizer: adamw_torch_fused
learning_rate: 0.00002
bf16: auto
gradient_checkpointing: true
attn_implementation: flash_attention_2
`;

async function searched(text: string, goal: Goal, gpu: string, margin = 0.85): Promise<PlanSearch> {
  const context = contextOf(await judged(text, gpu), gpu);
  return searchPlans(context, { goal, margin, mayTrade: true }, () => Promise.resolve(), { aborted: false });
}

const ordered = (plans: readonly Plan[]): readonly string[] =>
  fitsFirst(
    plans.map(plan => ({ plan })),
    'fit',
  ).map(({ plan }) => plan.id);

describe('the order of plans', () => {
  it('puts plans that fit before tight ones with the same effect on training', async () => {
    const { plans } = await searched(axolotl({ micro_batch_size: 2 }), 'fit', '24GB');
    const fits = plans.find(({ after }) => after.verdict === 'fits');
    assert.ok(fits);
    const tight: Plan = { ...fits, id: 'tight', after: { ...fits.after, verdict: 'tight' } };
    assert.deepEqual(ordered([tight, fits]), [fits.id, 'tight']);
    const trading: Plan = { ...fits, id: 'trading', price: { ...fits.price, quality: 'less', trade: 9 } };
    assert.deepEqual(ordered([tight, trading, fits]), [fits.id, 'trading', 'tight']);
  });
});

describe('plans', () => {
  it('never only add a cost to another one for almost the same memory', async () => {
    const sample = readFileSync('media/sample/trl/qwen2.5-7b-sft.yaml', 'utf8');
    const { plans } = await searched(sample, 'fit', 'RTX 4090');
    assert.ok(plans.length > 2);
    for (const plan of plans) {
      const less = plans.filter(
        other => other !== plan && isPartOf(other, plan) && other.after.verdict === plan.after.verdict,
      );
      for (const { after, price } of less.filter(one => one.price.time <= plan.price.time)) {
        const freed = after.device.expected - plan.after.device.expected;
        assert.ok(freed >= 0.05 * (after.usableBytes ?? 0), `${plan.title}: ${freed}, ${price.time}`);
      }
    }
  });
});

const isPartOf = (some: Plan, all: Plan): boolean =>
  some.edits.every(({ path, to }) => all.edits.some(one => one.path === path && one.to === to));

describe('the reason for an unused remedy', () => {
  it('is not a lack of memory if there is plenty', async () => {
    const { plans, rejected } = await searched(FULL, 'largest', 'H200');
    assert.deepEqual(plans, []);
    assert.ok(rejected.length > 2);
    for (const { why } of rejected) assert.match(why, /no key|makes nothing larger|^Requires/);
  });

  it('states the memory that it would need', async () => {
    const text = axolotl({
      micro_batch_size: 1,
      gradient_accumulation_steps: 4,
      load_in_4bit: true,
      adapter: 'qlora',
    });
    const cut = 'plugins: [axolotl.integrations.cut_cross_entropy.CutCrossEntropyPlugin]\n';
    const { plans, rejected } = await searched(text + cut, 'fill', '8GB');
    assert.deepEqual(plans, []);
    const batch = rejected.find(({ remedy }) => remedy === 'the micro-batch size');
    assert.match(batch?.why ?? '', /it would need [\d.]+ GB of [\d.]+/);
  });

  it('is not too little need next to a device map that fits', () => {
    const search = {
      plans: [],
      tried: 1,
      rejected: [],
      advice: [],
      deviceMap: { placed: [] },
      least: { verdict: 'tight', usableBytes: 24, capacityBytes: 24, device: { expected: 21 } },
    } as unknown as PlanSearch;
    assert.equal(noneText(search, 'fit'), 'No setting makes it fit, but a device map does: see below.');
  });
});
