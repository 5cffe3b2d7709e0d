import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { alternativesTo } from '../../../src/core/plan/modelSizes';
import type { PlanOptions, PlanSearch } from '../../../src/core/plan/plan';
import type { RemedyContext } from '../../../src/core/plan/remedy';
import { searchPlans } from '../../../src/core/plan/search';
import { plansAsJson } from '../../../src/core/render/json';
import { planChart, stepChart } from '../../../src/core/render/planChart';
import { planPage } from '../../../src/core/render/planPage';
import { stepRows, stepTable } from '../../../src/core/render/steps';
import { analyze } from '../../../src/core/analyse/analyse';
import type { RunAnalysis } from '../../../src/core/rules/analysis';
import { Definitions } from '../../../src/world/definitions';
import { applied, running } from '../../unit/dialects/support';
import { axolotl, contextOf, judged, target, worldWithModels } from '../../unit/core/support';
import { english } from '../../../src/core/text/say';

const GUIDE = readFileSync('test/fixtures/guides/utilization/emberformer_small.yaml', 'utf8');

/** A program that trains a SegFormer on images, with a custom head that no estimate counts. */
const SMALL = `
data: { batch_size: 8 }
model:
  backbone: { model_name: nvidia/segformer-b0-finetuned-ade-512-512 }
  head: { d_model: 64, num_layers: 3 }
train: { lr_head: 1e-3, lr_backbone: 1e-4 }
`;
const DIALECT = `
id: segmenter
recognise: { strong: [model.backbone.model_name, model.head.d_model], medium: [data.batch_size], least: 6 }
quantities:
  model: { keys: model.backbone.model_name }
  task: { always: semantic_segmentation, source: train.py }
  method: { always: full, source: train.py }
  microBatchSize: { keys: data.batch_size }
  optimizer: { always: adam, source: train.py }
  precision: { always: fp16-mixed, source: train.py }
  loadDtype: { always: fp32, source: train.py }
  imageSize: { always: 400, source: train.py }
`;
const NEMO = readFileSync(
  'test/fixtures/configs/NVIDIA__NeMo-Framework-Launcher/launcher_scripts/conf/training/llama/llama3_8b.yaml',
  'utf8',
);

const PLACE = '/w/small.yaml';

/** A config, read by the workspace's dialect if no other knows it. */
async function analyzed(text: string, gpu: string): Promise<RunAnalysis> {
  const base = worldWithModels({ [PLACE]: text, '/w/.headroom/dialects/segmenter.yaml': DIALECT });
  const world = { ...base, definitions: new Definitions(base.files) };
  const { runs } = await analyze(PLACE, text, world, { target: target(gpu), severities: {} }, running);
  return runs[0] ?? assert.fail('no run');
}

async function small(gpu: string, text = SMALL): Promise<RemedyContext> {
  const run = await analyzed(text, gpu);
  const alternatives = await alternativesTo(run.run, worldWithModels({}).models);
  return { ...contextOf(run, gpu), alternatives };
}

const search = (context: RemedyContext, options: Partial<PlanOptions> = {}): Promise<PlanSearch> =>
  searchPlans(context, { goal: 'steps', margin: 0.85, mayTrade: true, ...options }, () => Promise.resolve(), {
    aborted: false,
  });

const kinds = ({ plans }: PlanSearch): unknown[] => plans.map(({ step }) => step?.kind);

describe('a larger batch without an accumulation key', () => {
  it('is a plan if another effective batch size is requested', async () => {
    const context = { ...(await small('80GB')), samplesPerGpu: { least: 32, most: 32 } };
    for (const goal of ['fill', 'fit', 'fastest'] as const) {
      const { plans, rejected } = await search(context, { goal });
      const [plan] = plans;
      assert.ok(plan);
      assert.deepEqual(
        plan.edits.map(({ path, from, to }) => [path, from, to]),
        [['data.batch_size', '8', '32']],
      );
      assert.ok(!rejected.some(({ remedy }) => remedy.includes('micro-batch')));
      assert.ok(
        plan.arithmetic.some(({ text }) =>
          text.startsWith('train.lr_head 0.001, train.lr_backbone 0.0001: the batch is 4 times'),
        ),
      );
      assert.match(plan.reason, /changes the result/);
    }
  });
});

describe('a plan in steps', () => {
  it("grows the batch, then the model, to the utilization guide's result for 24 GB", async () => {
    const { plans } = await search(await small('24GB', GUIDE));
    assert.deepEqual(
      plans.at(-1)?.edits.map(({ path, to }) => [path, to]),
      [
        ['data.batch_size', '32'],
        ['model.temporal.d_model', '128'],
        ['model.temporal.num_layers', '6'],
      ],
    );
  });

  it('grows the batch, then the backbone', async () => {
    const found = await search(await small('24GB'));
    assert.deepEqual(kinds(found), ['batch', 'backbone']);
    const [batch, backbone] = found.plans;
    assert.ok(batch && backbone);
    assert.deepEqual(
      batch.step?.edits.map(({ path, to }) => [path, to]),
      [['data.batch_size', '32']],
    );
    assert.deepEqual(
      batch.step.rates.map(({ path, was, is }) => [path, was, Number(is.toPrecision(3))]),
      [
        ['train.lr_head', 0.001, 0.002],
        ['train.lr_backbone', 0.0001, 0.0002],
      ],
    );
    assert.equal(backbone.edits.length, 2);
    assert.ok(backbone.step?.edits.every(({ to }) => /segformer-b\d/.test(to)));
    const [why] = found.rejected;
    assert.match(why?.why ?? '', /does not count model\.head\.d_model, model\.head\.num_layers/);
  });

  it('promises what its files read as at each step, and never exceeds the margin', async () => {
    const context = await small('24GB');
    const { plans } = await search(context);
    let used = context.estimate?.devices[0]?.device.expected ?? 0;
    for (const plan of plans) {
      const after = applied({ [PLACE]: SMALL }, plan.edits)[PLACE] ?? '';
      const again = (await small('24GB', after)).estimate?.devices[0];
      assert.equal(again?.device.expected, plan.after.device.expected);
      assert.ok(plan.after.device.expected > used);
      assert.ok(plan.after.device.expected <= 0.85 * (plan.after.usableBytes ?? 0));
      used = plan.after.device.expected;
    }
  });

  it('changes layers and width if the config builds its model', async () => {
    const text = NEMO.replace('num_layers: 32', 'num_layers: 4');
    const found = await search(contextOf(await judged(text, 'H100'), 'H100'));
    assert.ok(kinds(found).includes('capacity'), JSON.stringify(found.rejected));
    const capacity = found.plans.find(({ step }) => step?.kind === 'capacity');
    assert.ok(capacity?.step?.edits.some(({ path }) => /num_layers|hidden_size/.test(path)));
  });

  it('changes the rank for adapters, and removes accumulation before the effective batch', async () => {
    const config = { base_model: 'Qwen/Qwen2.5-0.5B', lora_r: 8, micro_batch_size: 1, sequence_len: 512 };
    const context = contextOf(await judged(axolotl(config)));
    const alternatives = await alternativesTo(context.run, worldWithModels({}).models);
    const found = await search({ ...context, alternatives });
    assert.deepEqual(kinds(found), ['batch', 'capacity', 'backbone']);
    const [batch, capacity] = found.plans;
    assert.ok(batch && capacity);
    assert.deepEqual(
      batch.step?.edits.map(({ path, to }) => [path, to]),
      [
        ['micro_batch_size', '4'],
        ['gradient_accumulation_steps', '1'],
      ],
    );
    assert.deepEqual(batch.step.rates, []);
    assert.ok(capacity.step?.edits.some(({ path }) => path === 'lora_r'));
    assert.deepEqual(kinds(await search({ ...context, alternatives }, { mayTrade: false })), [
      'batch',
      'capacity',
    ]);
  });

  it('leaves out what must be kept', async () => {
    assert.deepEqual(kinds(await search(await small('24GB'), { keep: ['data.batch_size'] })), ['backbone']);
  });

  it('is a table, a chart and a page with the same numbers', async () => {
    const context = await small('24GB');
    const found = await search(context);
    const rows = stepRows(english, found.plans);
    assert.deepEqual(
      rows.map(({ name }) => name),
      ['today', '1. batch', '2. backbone'],
    );
    const table = stepTable(found.plans).flat().join('\n');
    const svg = stepChart(found.plans, 'dark');
    const [plan] = found.plans;
    assert.ok(plan);
    const page = planPage(plan, {
      file: 'small.yaml',
      title: 'A plan',
      chart: null,
      advice: [],
      steps: { plans: found.plans, chart: 'data:image/svg+xml;utf8,x' },
      elsewhere: null,
    }).source;
    for (const { memory, share, rate } of rows) {
      assert.ok([memory, share, rate].every(text => table.includes(text)));
      assert.ok(
        (svg.includes(memory) && page.includes(memory.replace(' ', '&nbsp;'))) || page.includes(memory),
      );
    }
    assert.match(page, /## Step by step/);
    assert.ok(!planChart(plan.before, plan.after, 'dark').includes('1. batch'));
    const json = JSON.stringify(plansAsJson(PLACE, await analyzed(SMALL, '24GB'), found));
    assert.match(json, /"step":\{"kind":"batch"/);
  });

  it('says which key is missing if nothing can be raised', async () => {
    const { plans, rejected } = await search(await small('24GB'), { keep: ['batch_size', 'model_name'] });
    assert.equal(plans.length, 0);
    assert.deepEqual(
      rejected.map(({ remedy }) => remedy),
      ['more layers, width or rank', 'a larger batch', 'a larger backbone'],
    );
  });
});
