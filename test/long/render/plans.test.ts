import assert from 'node:assert/strict';
import { outcomeOf } from '../../../src/core/plan/outcome';
import type { RunOutcome } from '../../../src/core/plan/outcome';
import type { Plan } from '../../../src/core/plan/plan';
import { searchPlans } from '../../../src/core/plan/search';
import { formerValues, partialText, partTexts } from '../../../src/core/render/parts';
import { planChart } from '../../../src/core/render/planChart';
import { planPage } from '../../../src/core/render/planPage';
import { axolotl, contextOf, judge, judged } from '../../unit/core/support';

const FILE = 'a.yaml';
const pause = (): Promise<void> => Promise.resolve();

async function firstPlan(text: string): Promise<Plan> {
  const context = contextOf(await judged(text));
  const options = { goal: 'fit', margin: 0.85, mayTrade: true } as const;
  const { plans } = await searchPlans(context, options, pause, { aborted: false });
  const plan = plans.find(({ edits }) => edits.some(({ path }) => path === 'gradient_accumulation_steps'));
  assert.ok(plan);
  return plan;
}

async function outcome(text: string): Promise<RunOutcome> {
  const { runs } = await judge({ [FILE]: text });
  const [run] = runs;
  assert.ok(run);
  return outcomeOf(run);
}

const BATCHES = { micro_batch_size: 8, gradient_accumulation_steps: 4 };

describe('changes of a plan', () => {
  it('say what becomes of the run without them', async () => {
    const plan = await firstPlan(axolotl(BATCHES));
    const keys = plan.edits.filter(({ path }) => path in BATCHES);
    assert.deepEqual(keys.map(({ path }) => path).sort(), Object.keys(BATCHES).sort());
    const [micro] = keys;
    assert.equal(micro?.path, 'micro_batch_size');
    const whole = await outcome(axolotl({ micro_batch_size: 4, gradient_accumulation_steps: 8 }));
    const without = [
      await outcome(axolotl({ micro_batch_size: 8, gradient_accumulation_steps: 8 })),
      await outcome(axolotl({ micro_batch_size: 4, gradient_accumulation_steps: 4 })),
    ];
    const texts = partTexts(keys, whole, without, micro.file);
    assert.match(texts[0]?.label ?? '', /^micro_batch_size 8 → \d$/);
    assert.match(
      texts[0]?.description ?? '',
      /^without it: [\d.]+ GB, does not fit, effective batch 64 instead of 32$/,
    );
    assert.equal(texts[1]?.description, 'without it: effective batch 16 instead of 32');
  });

  it('that were left out are made up for by no promise', async () => {
    const before = await outcome(axolotl({ micro_batch_size: 8, gradient_accumulation_steps: 4 }));
    const now = await outcome(axolotl({ micro_batch_size: 1, gradient_accumulation_steps: 4 }));
    assert.match(
      partialText(before, now),
      /^The run now needs ≈ [\d.]+ GB of (24|23\.\d usable) GB: (fits|tight|does not fit)\. The effective batch becomes 4 instead of 32\.$/,
    );
    assert.match(partialText(before, before), /does not fit\. The effective batch stays 32\.$/);
    assert.equal(partialText(before, null), 'The memory need of the run is unknown.');
  });

  it('leave a comment that is true of any part of them', async () => {
    const { edits } = await firstPlan(axolotl(BATCHES));
    const comment = formerValues(edits, 'RTX 4090', edits[0]?.file ?? '');
    assert.match(
      comment,
      /^Before Headroom's plan for RTX 4090: .*micro_batch_size 8, gradient_accumulation_steps 4/,
    );
  });
});

describe('the page of a plan', () => {
  it('has every number of its picture as text', async () => {
    const plan = await firstPlan(axolotl(BATCHES));
    const svg = planChart(plan.before, plan.after, 'dark');
    const page = planPage(plan, {
      file: FILE,
      title: 'A plan',
      chart: null,
      advice: [],
      elsewhere: null,
    }).source;
    const numbers = [...svg.matchAll(/>([\d.]+) (?:GB<|→)/g)].map(([, number = '']) => number);
    assert.ok(numbers.length > 5);
    for (const number of numbers) assert.ok(page.includes(number), number);
    for (const phase of plan.after.phases.map(({ phase }) => phase)) assert.ok(page.includes(phase), phase);
  });

  it('writes no number across the limit or a bar', async () => {
    const plan = await firstPlan(axolotl());
    const capacityOf = (share: number): number => share * (plan.after.device.expected + 2 ** 30);
    for (const share of [0.8, 0.95, 1, 1.05, 1.2]) {
      const svg = planChart(plan.before, { ...plan.after, capacityBytes: capacityOf(share) }, 'dark');
      const limit = Number(/<line x1="([\d.]+)"/.exec(svg)?.[1]);
      const bars = [...svg.matchAll(/<rect x="([\d.]+)" y="([\d.]+)" width="([\d.]+)"/g)].map(
        ([, x, y, width]) => ({ end: Number(x) + Number(width), y: Number(y) }),
      );
      const numbers = [
        ...svg.matchAll(/<text x="([\d.]+)" y="([\d.]+)" text-anchor="start">([\d.]+ (?:GB|→)[^<]*)</g),
      ];
      assert.ok(numbers.length > 5);
      for (const [, x = '', y = '', words = ''] of numbers) {
        const isSum = words.endsWith('GB');
        if (isSum) assert.ok(Number(x) + 46 < limit || Number(x) > limit + 2, `${words} at ${x}, ${limit}`);
        const beside = bars.filter(bar => Math.abs(bar.y + 10 - Number(y)) < 10);
        for (const { end } of beside) assert.ok(Number(x) > end, `${words} at ${x}, bar to ${end}`);
        assert.ok(Number(x) + words.length * 6.5 <= 480, words);
      }
    }
  });

  it('keeps what is to be copied apart, whatever is in it', async () => {
    const plan = await firstPlan(axolotl());
    const advice = [
      { text: 'A=1', why: 'one' },
      { text: 'echo "```"', why: 'two' },
    ];
    const page = planPage(plan, {
      file: FILE,
      title: 'A | plan',
      chart: null,
      advice,
      elsewhere: null,
    }).source;
    assert.ok(page.startsWith('# A \\| plan\n'));
    assert.ok(page.includes('One.\n\n```sh\nA=1\n```'));
    assert.ok(page.includes('Two.\n\n````sh\necho "```"\n````'));
  });

  it('draws nothing outside of its picture, with and without a run before', async () => {
    const { before, after } = await firstPlan(axolotl());
    for (const was of [before, null]) {
      const svg = planChart(was, after, 'high-contrast');
      const width = Number(/width="(\d+)"/.exec(svg)?.[1]);
      for (const [, x = '', length = ''] of svg.matchAll(/<rect x="([\d.]+)" y="[\d.]+" width="([\d.]+)"/g)) {
        assert.ok(Number(x) + Number(length) <= width);
      }
    }
  });
});
