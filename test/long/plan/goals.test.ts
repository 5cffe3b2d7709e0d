import assert from 'node:assert/strict';
import type { Goal, Plan, PlanOptions, PlanSearch } from '../../../src/core/plan/plan';
import { estimateRun } from '../../../src/core/memory/estimateRun';
import { GOALS } from '../../../src/core/plan/goals';
import { noneText } from '../../../src/core/render/text';
import { searchPlans } from '../../../src/core/plan/search';
import { contextOf, axolotl, judged, target } from '../../unit/core/support';

const pause = (): Promise<void> => Promise.resolve();
const SMALL = { base_model: 'TinyLlama/TinyLlama-1.1B-Chat-v1.0', micro_batch_size: 2, sequence_len: 1024 };

async function searched(
  goal: Goal,
  changes: Parameters<typeof axolotl>[0],
  options: Partial<PlanOptions> = {},
  gpus: number | null = null,
): Promise<PlanSearch> {
  const context = contextOf(await judged(axolotl(changes)));
  const several = target('RTX 4090', gpus);
  const found = estimateRun(context.run, context.model, several);
  const on =
    gpus === null ? context : { ...context, target: several, estimate: found.ok ? found.estimate : null };
  return searchPlans(on, { goal, margin: 0.85, mayTrade: true, ...options }, pause, { aborted: false });
}

const valueOf = (plan: Plan | undefined, key: string): number =>
  Number(plan?.edits.find(({ path }) => path === key)?.to);

describe('goals of a plan', () => {
  it('fit: nothing to do if it fits with the margin', async () => {
    const { plans, reached } = await searched('fit', SMALL);
    assert.deepEqual([plans.length, reached], [0, true]);
  });

  it("longest: no plan is shorter than the next, none beyond the model's maximum", async () => {
    const { plans } = await searched('longest', { ...SMALL, sequence_len: 256 });
    const lengths = plans.map(plan => valueOf(plan, 'sequence_len'));
    assert.ok(lengths.length > 0 && lengths.every(length => length > 256 && length <= 2048), lengths.join());
    assert.deepEqual(
      lengths,
      lengths.toSorted((a, b) => b - a),
    );
  });

  it('largest: the rank grows together with its scale', async () => {
    const { plans } = await searched('largest', { ...SMALL, lora_r: 8, lora_alpha: 16 });
    const [plan] = plans;
    const rank = valueOf(plan, 'lora_r');
    assert.ok(rank > 8);
    assert.equal(valueOf(plan, 'lora_alpha'), rank * 2);
  });

  it('fastest: every plan saves time, and none cuts what defines the task', async () => {
    const { plans } = await searched('fastest', { ...SMALL, gradient_checkpointing: true });
    assert.ok(plans.length > 0);
    for (const { price, edits } of plans) {
      assert.ok(price.time < 1);
      assert.ok(edits.every(({ path }) => path !== 'sequence_len'));
    }
  });

  for (const goal of ['fill', 'fastest'] as const) {
    it(`${goal}: keeps accumulation if the batch is already right, and offers nothing twice`, async () => {
      const config = { ...SMALL, micro_batch_size: 4, gradient_accumulation_steps: 4 };
      const context = contextOf(await judged(axolotl(config)));
      const options = { goal, margin: 0.85, mayTrade: true };
      const plansFor = async (least: number, most: number): Promise<readonly Plan[]> => {
        const asked = { ...context, samplesPerGpu: { least, most } };
        return (await searchPlans(asked, options, pause, { aborted: false })).plans;
      };
      const within = await plansFor(16, 32);
      assert.ok(within.length > 0 && within.every(({ price }) => price.time < 1));
      // A different batch size is requested: the same micro-batch with a different number of steps reaches it,
      // once.
      const other = await plansFor(24, 24);
      const titles = other.map(({ title }) => title);
      assert.ok(titles.length > 0);
      assert.deepEqual([...new Set(titles)], titles);
    });
  }

  it('fewest: keeps the effective batch on fewer GPUs, named in the first line', async () => {
    const { plans, advice } = await searched('fewest', SMALL, {}, 4);
    const [plan] = plans;
    assert.equal(plan?.gpus, 1);
    const product =
      (valueOf(plan, 'gradient_accumulation_steps') || 4) * (valueOf(plan, 'micro_batch_size') || 2);
    assert.equal(product, 4 * 2 * 4);
    const times = Number(/on 1 GPU instead of 4: takes about ([\d.]+) times as long/.exec(plan.effect)?.[1]);
    assert.ok(times > 2.5 && times < 4.5, plan.effect);
    assert.ok(advice.some(({ text }) => text.includes('--num_processes=1')));
  });

  it('all: have no plan where a guess decides', async () => {
    const one = contextOf(await judged(axolotl()));
    assert.ok(one.estimate);
    const guessed = { ...one, estimate: { ...one.estimate, guesses: 1 } };
    const options = { margin: 0.85, mayTrade: true };
    for (const { goal } of GOALS) {
      const search = await searchPlans(guessed, { goal, ...options }, pause, { aborted: false });
      assert.deepEqual([search.plans.length, search.isGuessed], [0, true], goal);
      assert.match(
        noneText(search, goal),
        /^No plan: a guess decides whether it fits\. State what is assumed/,
      );
    }
  });

  it('all: keep the keys that they are told to keep', async () => {
    const keep = ['micro_batch_size'];
    const { plans, rejected } = await searched('fit', {}, { keep });
    assert.ok(plans.every(({ edits }) => edits.every(({ path }) => path !== 'micro_batch_size')));
    assert.ok(rejected.some(({ why }) => why === 'you asked to keep micro_batch_size'));
  });

  it('all: choose micro batches by a rule', async () => {
    const { plans } = await searched('fit', { micro_batch_size: 12 }, { batchRule: 'power-of-two' });
    const sizes = plans.map(plan => valueOf(plan, 'micro_batch_size')).filter(Number.isFinite);
    assert.ok(sizes.length > 0 && sizes.every(size => Number.isInteger(Math.log2(size))), sizes.join());
  });

  it('all: have labels', () => {
    for (const { label, detail, none } of GOALS) assert.ok(label && detail && none);
  });

  it('all: name the devices that the plan was made for if a machine has more', async () => {
    const context = contextOf(await judged(axolotl(SMALL)));
    const searchOn = (uuids: readonly string[], ofMachine: number) => {
      const devices = { uuids, ofMachine };
      const on = { ...context, target: { ...target('RTX 4090', 1), devices } };
      const options = { goal: 'fill', margin: 0.85, mayTrade: true } as const;
      return searchPlans(on, options, pause, { aborted: false });
    };
    const variable = ({ advice }: PlanSearch) =>
      advice.find(({ text }) => text.startsWith('CUDA_VISIBLE_DEVICES='));
    assert.deepEqual(variable(await searchOn(['GPU-b', 'GPU-a'], 3)), {
      text: 'CUDA_VISIBLE_DEVICES=GPU-b',
      why: 'launch on the GPU with the most free memory, out of 3 here',
    });
    assert.equal(variable(await searchOn(['GPU-b'], 1)), undefined);
  });
});
