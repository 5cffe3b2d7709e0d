import assert from 'node:assert/strict';
import { compareCosts, bestFirst } from '../../../src/core/plan/bestFirst';
import { effectOf } from '../../../src/core/plan/effect';
import type { PlanOptions } from '../../../src/core/plan/plan';
import type { RemedyContext } from '../../../src/core/plan/remedy';
import { searchPlans } from '../../../src/core/plan/search';
import { slotsOf } from '../../../src/core/plan/slots';
import type { SlotOption } from '../../../src/core/plan/slots';
import fc from 'fast-check';
import { someOf } from '../../tries';
import { axolotl, contextOf, judged } from '../../unit/core/support';

const FIT: PlanOptions = { goal: 'fit', margin: 0.85, mayTrade: true };

/**
 * The cheapest of all combinations that reaches the margin; each is estimated. One that fits comes before one whose
 * range reaches over the edge, as in the list that users see.
 */
function cheapest(context: RemedyContext, options: PlanOptions): readonly number[] | null {
  const { slots } = slotsOf(context, options);
  let all: (readonly SlotOption[])[] = [[]];
  for (const slot of slots) all = all.flatMap(chosen => slot.options.map(option => [...chosen, option]));
  const reaching = all.flatMap(chosen => {
    const changes = chosen.flatMap(({ option }) => option?.changes ?? []);
    if (changes.length === 0) return [];
    const device = effectOf(context, changes).estimate?.devices[0];
    if (!device?.usableBytes || device.verdict === 'exceeds') return [];
    if (device.device.expected > device.usableBytes * options.margin) return [];
    const cost = chosen.reduce<number[]>((sum, one) => one.cost.map((part, i) => (sum[i] ?? 0) + part), []);
    return [{ cost, fits: device.verdict === 'fits' }];
  });
  const fitting = reaching.filter(({ fits }) => fits);
  const costs = (fitting.length > 0 ? fitting : reaching).map(({ cost }) => cost);
  return costs.sort(compareCosts)[0] ?? null;
}

describe('the search against brute force', () => {
  const few = { micro_batch_size: 4, gradient_accumulation_steps: 1 };
  const grid = [
    axolotl({ ...few, base_model: 'meta-llama/Llama-3.2-3B', sequence_len: 4096, lora_r: 8 }),
    axolotl({ ...few, sequence_len: 1024, lora_r: 8 }),
  ];
  for (const [i, text] of someOf(grid, 2).entries()) {
    it(`finds the cheapest of all combinations, config ${i + 1}`, async () => {
      const context = contextOf(await judged(text));
      const { plans } = await searchPlans(context, FIT, () => Promise.resolve(), { aborted: false });
      const best = cheapest(context, FIT);
      assert.equal(plans.length > 0, best !== null);
      const [plan] = plans;
      if (!plan || !best) return;
      assert.equal(plan.price.trade, best[1]);
      assert.ok(
        Math.abs(Math.log2(plan.price.time) - (best[2] ?? 0)) < 1e-9,
        `${plan.price.time} ${best.join()}`,
      );
    });
  }
});

describe('combinations, best first', () => {
  const costs = fc.array(fc.tuple(fc.integer({ min: 0, max: 3 }), fc.integer({ min: -3, max: 5 })), {
    minLength: 1,
    maxLength: 4,
  });

  it('come in order, each exactly once', () => {
    fc.assert(
      fc.property(fc.array(costs, { minLength: 1, maxLength: 4 }), raw => {
        const slots = raw.map(slot => [...slot].sort(compareCosts));
        const found = [...bestFirst(slots)];
        const count = slots.reduce((product, slot) => product * slot.length, 1);
        assert.equal(found.length, count);
        assert.equal(new Set(found.map(({ indices }) => indices.join())).size, count);
        for (const [i, { cost }] of found.entries()) {
          const next = found[i + 1];
          if (next) assert.ok(compareCosts(cost, next.cost) <= 0);
        }
      }),
    );
  });
});
