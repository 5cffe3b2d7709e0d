import assert from 'node:assert/strict';
import type { Goal, Plan } from '../../../src/core/plan/plan';
import { costRatio } from '../../../src/core/plan/cheapest';
import { timeRatio } from '../../../src/core/plan/planTime';
import { estimateRun } from '../../../src/core/memory/estimateRun';
import { searchPlans } from '../../../src/core/plan/search';
import { planAsJson } from '../../../src/core/render/json';
import { planTimeText } from '../../../src/core/render/speed';
import { axolotl, contextOf, judged, target } from '../../unit/core/support';
import { english } from '../../../src/core/text/say';

const pause = (): Promise<void> => Promise.resolve();
const SMALL = { base_model: 'TinyLlama/TinyLlama-1.1B-Chat-v1.0', micro_batch_size: 2, sequence_len: 1024 };
const PACKED = { sample_packing: true, pad_to_sequence_len: true, max_steps: 500 };

async function plansFor(
  goal: Goal,
  changes: Parameters<typeof axolotl>[0],
  gpus: number | null = null,
): Promise<readonly Plan[]> {
  const one = contextOf(await judged(axolotl({ ...PACKED, ...changes })));
  const found = estimateRun(one.run, one.model, target('RTX 4090', gpus));
  const on = { ...one, target: target('RTX 4090', gpus), estimate: found.ok ? found.estimate : null };
  const options = { goal, margin: 0.85, mayTrade: true };
  return (await searchPlans(on, options, pause, { aborted: false })).plans;
}

const textOf = ({ time }: Plan): string => (time ? planTimeText(english, time) : '');

describe('the time of a plan', () => {
  it('is computed, in hours and dollars where a step stays the same', async () => {
    const plans = await plansFor('fit', {});
    const same = plans.filter(({ time }) => time?.isRatioOnly === false);
    assert.ok(same.length > 0);
    for (const plan of same) {
      assert.match(textOf(plan), /^≈ [\d.,]+ (?:h|min|s) and \$[\d.,]+ for 500 steps(?: instead of .*)?, /);
      assert.ok(plan.time && plan.time.was.perStep === plan.time.is.perStep);
    }
  });

  it('replaces what is usual: a plan does not say both', async () => {
    for (const { effect, time } of await plansFor('fit', {})) {
      if (time) assert.doesNotMatch(effect, /slower|faster/);
    }
  });

  it('decides the order of the fastest plans', async () => {
    const plans = await plansFor('fastest', { ...SMALL, gradient_accumulation_steps: 4 });
    const ratios = plans.flatMap(({ time }) => (time ? [timeRatio(time)] : []));
    assert.ok(ratios.length > 1 && ratios.length === plans.length, String(ratios.length));
    for (const [i, ratio] of ratios.slice(1).entries()) assert.ok(ratio >= (ratios[i] ?? 0) - 0.02);
  });

  it('is a ratio where a step processes other tokens, or where only the data tell how many', async () => {
    const longer = await plansFor('longest', { ...SMALL, sequence_len: 256 });
    assert.ok(longer.length > 0);
    for (const plan of longer) assert.match(textOf(plan), /^≈ .* per token$/);
    const padded = await plansFor('fit', { sample_packing: false, pad_to_sequence_len: false });
    const timed = padded.filter(({ time }) => time);
    assert.ok(timed.length > 0);
    for (const plan of timed) {
      assert.match(textOf(plan), / per token$/);
      assert.match(JSON.stringify(planAsJson(plan)), /"computedTime":\{.*"hours":null,"dollars":null/);
    }
  });

  it('is unknown where a plan does what the speed model does not count', async () => {
    const plans = await plansFor('fit', { adapter: '', optimizer: 'adamw_torch', micro_batch_size: 1 });
    const paged = plans.filter(({ id }) => /8-bit-optimizer|offload/.test(id));
    assert.ok(paged.length > 0, plans.map(({ id }) => id).join());
    for (const { time } of paged) assert.equal(time, undefined);
  });

  it('decides what is cheapest, on all GPUs and on fewer', async () => {
    const plans = await plansFor('cheapest', { ...SMALL, gradient_accumulation_steps: 4 }, 4);
    const ratios = plans.flatMap(({ time }) => (time ? [costRatio(time)] : []));
    assert.ok(ratios.length === plans.length && plans.length > 1);
    for (const [i, ratio] of ratios.slice(1).entries()) assert.ok(ratio >= (ratios[i] ?? 0) - 0.02);
    assert.ok(ratios.every(ratio => ratio < 1));
    const fewer = plans.filter(({ gpus }) => gpus !== null && gpus < 4);
    assert.ok(fewer.length > 0);
    for (const { effect, arithmetic } of fewer) {
      assert.match(effect, /effective batch 32 unchanged/);
      assert.match(arithmetic.map(({ text }) => text).join(' '), /4 GPUs = 32 → .* [12] GPUs? = 32/);
    }
    assert.ok(plans.every(({ effect }) => /costs about \d+ % less$/.test(effect)));
    for (const { time } of plans) {
      if (!time?.is.dollars || !time.was.dollars || time.isRatioOnly) continue;
      const dollars = time.is.dollars.expected / time.was.dollars.expected;
      assert.ok(Math.abs(dollars - costRatio(time)) < 1e-9);
    }
  });

  it('has no cheapest plan where the time is unknown', async () => {
    const one = contextOf(await judged(axolotl({ base_model: 'someone/own-model' })));
    const options = { goal: 'cheapest', margin: 0.85, mayTrade: true } as const;
    const { plans } = await searchPlans(one, options, pause, { aborted: false });
    assert.deepEqual(plans, []);
  });

  it('compares fewer GPUs with all of them', async () => {
    const [plan] = await plansFor('fewest', SMALL, 4);
    assert.ok(plan?.time);
    const ratio = timeRatio(plan.time);
    assert.ok(ratio > 2.5 && ratio < 4.5, String(ratio));
  });
});
