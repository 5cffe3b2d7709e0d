import assert from 'node:assert/strict';
import { alternativesTo } from '../../../src/core/plan/modelSizes';
import type { Goal, Plan } from '../../../src/core/plan/plan';
import { negatives } from '../../../src/core/plan/remedies/negatives';
import { searchPlans } from '../../../src/core/plan/search';
import { applied } from '../../unit/dialects/support';
import { axolotl, contextOf, judge, judged, worldWithModels } from '../../unit/core/support';

const pause = (): Promise<void> => Promise.resolve();

async function plansFor(
  text: string,
  goal: Goal,
  mayTrade = true,
  gpu = 'RTX 4090',
  keep: readonly string[] = [],
): Promise<readonly Plan[]> {
  const run = await judged(text, gpu);
  const alternatives = await alternativesTo(run.run, worldWithModels({}).models);
  const context = { ...contextOf(run, gpu), alternatives };
  return (await searchPlans(context, { goal, margin: 0.85, mayTrade, keep }, pause, { aborted: false }))
    .plans;
}

const sets = (plan: Plan, word: string): boolean => plan.edits.some(({ to }) => to.includes(word));

/** Checks that the plan's promise matches its files when read again. */
async function holds(text: string, plan: Plan, gpu: string): Promise<void> {
  const { 'config.yaml': after = '' } = applied({ 'config.yaml': text }, plan.edits);
  const again = await judged(after, gpu);
  assert.equal(again.estimate?.devices[0]?.device.expected, plan.after.device.expected);
}

describe('the size of a named model', () => {
  const FULL = {
    base_model: 'Qwen/Qwen2.5-3B-Instruct',
    adapter: '',
    micro_batch_size: 1,
    sequence_len: 512,
  };
  const YOLO =
    'task: detect\nmode: train\nmodel: yolov8x.pt\ndata: coco8.yaml\nepochs: 100\nbatch: 4\nimgsz: 640\n';

  it('shrinks for training that fits in no other way, and only if the result may change', async () => {
    const text = axolotl(FULL);
    const keep = ['adapter'];
    const plans = await plansFor(text, 'fit', true, '16GB', keep);
    const smaller = plans.find(plan => sets(plan, 'Qwen/Qwen2.5-1.5B-Instruct'));
    assert.ok(smaller, plans.map(({ title }) => title).join('; '));
    await holds(text, smaller, '16GB');
    const kept = await plansFor(text, 'fit', false, '16GB', keep);
    assert.ok(kept.every(plan => !sets(plan, 'Qwen2.5')));
  });

  it('grows if the largest is requested, with its cost', async () => {
    const text = axolotl({ ...FULL, base_model: 'Qwen/Qwen2.5-0.5B', adapter: 'lora' });
    const plan = (await plansFor(text, 'largest')).find(one => sets(one, 'Qwen/Qwen2.5-'));
    assert.ok(plan);
    assert.ok(plan.price.quality?.includes('another model of the series'));
    assert.ok(plan.price.time > 1);
    await holds(text, plan, 'RTX 4090');
  });

  it('changes image networks by their names, too', async () => {
    const { runs, dialect } = await judge({ 'config.yaml': YOLO }, '8GB');
    assert.equal(dialect, 'ultralytics');
    assert.equal(runs.length, 1);
    const down = (await plansFor(YOLO, 'fit', true, '4GB')).find(one => sets(one, 'yolov8'));
    const up = (await plansFor(YOLO.replace('8x', '8n'), 'largest', true, '24GB')).find(one =>
      sets(one, 'yolov8'),
    );
    assert.ok(down && up, `${down?.title} ${up?.title}`);
    await holds(YOLO, down, '4GB');
    await holds(YOLO.replace('8x', '8n'), up, '24GB');
  });

  it('is not a remedy without training', async () => {
    const text =
      'model: meta-llama/Llama-3.1-70B-Instruct\ngpu_memory_utilization: 0.9\nmax_model_len: 8192\n';
    const plans = await plansFor(text, 'fit');
    assert.ok(plans.every(plan => !sets(plan, '3.1-8B')));
  });
});

describe('the negatives of contrastive training', () => {
  const FLAG = `model_name_or_path: BAAI/bge-large-en-v1.5
train_data: data.jsonl
output_dir: out
train_group_size: 8
query_max_len: 64
passage_max_len: 512
per_device_train_batch_size: 64
learning_rate: 1.0e-5
fp16: true
num_train_epochs: 1
temperature: 0.02
`;

  it('are halved to the number that fits, at least one', async () => {
    const context = contextOf(await judged(FLAG));
    assert.deepEqual(
      negatives.less(context).map(({ changes }) => changes),
      [[{ key: 'train_group_size', to: 4 }], [{ key: 'train_group_size', to: 2 }]],
    );
  });

  it('are in a plan that keeps its promise', async () => {
    const plans = await plansFor(FLAG, 'fit', true, '16GB');
    const plan = plans.find(one => one.id.includes('negatives'));
    assert.ok(plan, plans.map(({ title }) => title).join('; '));
    await holds(FLAG, plan, '16GB');
  });
});
