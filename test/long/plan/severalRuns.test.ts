import assert from 'node:assert/strict';
import { planContext } from '../../../src/core/plan/context';
import { searchPlans } from '../../../src/core/plan/search';
import type { Plan } from '../../../src/core/plan/plan';
import { applyEdits } from '../../../src/core/text/textEdit';
import { judge } from '../../unit/core/support';

const FIT = { goal: 'fit', margin: 0.85, mayTrade: true } as const;

const stages = (first: number, second: number, batch = 32) => ({
  'conf/config.yaml': `data_loader:\n  batch_size: ${batch}\n  tokenization: {max_length: 512}\nmodel:\n  base_model_name: sentence-transformers/all-MiniLM-L6-v2\n  lora: {r: 8}\ntraining:\n  trainer:\n    precision: 16-mixed\n    accumulate_grad_batches: 8\n`,
  'conf/curriculum/01_stage.yaml': `n_positives: 32\nn_negatives: ${first}\n`,
  'conf/curriculum/02_stage.yaml': `n_positives: 16\nn_negatives: ${second}\n`,
});

type Files = Readonly<Record<string, string>>;

async function searched(files: Files, gpu: string) {
  const { runs } = await judge(files, gpu);
  const need = (run: (typeof runs)[number]): number => run.estimate?.devices[0]?.device.expected ?? 0;
  const [neediest] = runs.toSorted((a, b) => need(b) - need(a));
  assert.ok(neediest);
  const context = planContext(neediest, runs);
  const search = await searchPlans(context, FIT, () => Promise.resolve(), { aborted: false });
  return { runs, context, ...search };
}

const applied = (files: Files, plan: Plan): Files =>
  Object.fromEntries(
    Object.entries(files).map(([path, text]) => {
      const edits = plan.edits.filter(({ file }) => file === path).map(({ edit }) => edit);
      return [path, applyEdits(text, edits)];
    }),
  );

describe('plans for a config of several runs', () => {
  it('hold for all of its runs', async () => {
    const files = stages(24, 16);
    const { runs, context, plans } = await searched(files, 'RTX 3060');
    assert.equal(runs.length, 2);
    assert.equal(context.others?.length, 1);
    assert.ok(plans.length > 0);
    for (const plan of plans) {
      const { runs: read } = await judge(applied(files, plan), 'RTX 3060');
      for (const { estimate } of read) {
        const device = estimate?.devices[0];
        assert.ok(device?.usableBytes);
        assert.ok(device.device.expected <= device.usableBytes * 0.85);
      }
    }
  });

  it('are not offered if they fix only the neediest', async () => {
    const files = stages(24, 23);
    const { plans } = await searched(files, 'RTX 3060');
    assert.ok(plans.length > 0);
    for (const plan of plans) {
      const paths = plan.edits.map(({ file }) => file);
      const both = ['01', '02'].every(stage => paths.some(path => path.includes(`${stage}_stage`)));
      assert.ok(both || paths.includes('conf/config.yaml'), plan.title);
    }
  });

  it("continue with the next run if the first one's fix is not enough", async () => {
    // The batch cannot be changed: only each stage's own file is left.
    const files = stages(24, 24, 12);
    const { runs } = await judge(files, 'RTX 3060');
    const [neediest] = runs;
    assert.ok(neediest);
    const keep = ['batch_size', 'accumulate_grad_batches', 'max_length'];
    const options = { ...FIT, keep };
    const context = planContext(neediest, runs);
    const { plans } = await searchPlans(context, options, () => Promise.resolve(), { aborted: false });
    assert.ok(plans.length > 0);
    for (const plan of plans) {
      assert.deepEqual([...new Set(plan.edits.map(({ file }) => file))].sort(), [
        'conf/curriculum/01_stage.yaml',
        'conf/curriculum/02_stage.yaml',
      ]);
      const { runs: read } = await judge(applied(files, plan), 'RTX 3060');
      assert.ok(read.every(({ verdict }) => verdict !== 'exceeds'));
      assert.equal(read[0]?.estimate?.devices[0]?.device.expected, plan.after.device.expected);
    }
  });
});
