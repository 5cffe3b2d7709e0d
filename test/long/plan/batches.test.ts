import assert from 'node:assert/strict';
import type { Goal } from '../../../src/core/plan/plan';
import { searchPlans } from '../../../src/core/plan/search';
import { applyEdits } from '../../../src/core/text/textEdit';
import { axolotl, contextOf, judge } from '../../unit/core/support';

async function searched(text: string, gpu: string, goal: Goal, samplesPerGpu: number | null = null) {
  const { runs } = await judge({ 'config.yaml': text }, gpu);
  const [run] = runs;
  assert.ok(run);
  const wanted = samplesPerGpu === null ? null : { least: samplesPerGpu, most: samplesPerGpu };
  const context = { ...contextOf(run, gpu), samplesPerGpu: wanted };
  const options = { goal, margin: 0.85, mayTrade: true };
  return searchPlans(context, options, () => Promise.resolve(), { aborted: false });
}

const EMBED = `import:
  batch_size: 512
  embedding_batch_size: 64
embeddings:
  model: BAAI/bge-large-en-v1.5
  device: "cuda:0"
  batch_size: 64
  max_seq_length: 512
  dtype: float16
`;

describe('rows per pass', () => {
  it('grow until the memory is used, in both keys that must agree', async () => {
    const { plans } = await searched(EMBED, 'RTX 3090', 'fill');
    const [plan] = plans;
    assert.ok(plan);
    const sizes = plan.edits.map(({ path, to }) => [path, Number(to)] as const);
    assert.deepEqual(sizes.map(([path]) => path).sort(), [
      'embeddings.batch_size',
      'import.batch_size',
      'import.embedding_batch_size',
    ]);
    const [gpu = 0, handed] = ['embeddings.batch_size', 'import.embedding_batch_size'].map(
      key => sizes.find(([path]) => path === key)?.[1],
    );
    assert.equal(handed, gpu);
    // The number of rows imported at a time stays a multiple.
    assert.equal((sizes.find(([path]) => path === 'import.batch_size')?.[1] ?? 1) % gpu, 0);
    assert.ok(plan.price.quality === null && plan.price.time < 1);
    const text = applyEdits(
      EMBED,
      plan.edits.map(({ edit }) => edit),
    );
    const { runs } = await judge({ 'config.yaml': text }, 'RTX 3090');
    assert.equal(runs[0]?.estimate?.devices[0]?.device.expected, plan.after.device.expected);
  });

  it('shrink if they do not fit, before anything is cut', async () => {
    const large = EMBED.replaceAll('64', '2048').replace('512\n  embedding', '4096\n  embedding');
    const { plans } = await searched(large, 'RTX 3060', 'fit');
    assert.equal(plans[0]?.price.quality, null);
    assert.match(plans[0].title, /batch_size 2048 → \d+/);
  });
});

const DETECTRON = `MODEL:
  META_ARCHITECTURE: "RetinaNet"
  BACKBONE:
    NAME: "build_retinanet_resnet_fpn_backbone"
  RESNETS:
    OUT_FEATURES: ["res3", "res4", "res5"]
    DEPTH: 50
  FPN:
    IN_FEATURES: ["res3", "res4", "res5"]
  RETINANET:
    IOU_THRESHOLDS: [0.4, 0.5]
DATASETS:
  TRAIN: ("coco_2017_train",)
SOLVER:
  IMS_PER_BATCH: 16
  BASE_LR: 0.01
  AMP:
    ENABLED: True
INPUT:
  MIN_SIZE_TRAIN: (640, 672, 704, 736, 768, 800)
VERSION: 2
`;

describe('a smaller effective batch', () => {
  it('changes the learning rate if a program cannot accumulate, and says so', async () => {
    const { plans } = await searched(DETECTRON, '12GB', 'fit');
    const plan = plans.find(({ id }) => id.includes('smaller-batch'));
    assert.ok(plan);
    const to = (key: string): number => Number(plan.edits.find(({ path }) => path === key)?.to);
    assert.ok(Math.abs(to('SOLVER.BASE_LR') / 0.01 - to('SOLVER.IMS_PER_BATCH') / 16) < 1e-9, plan.title);
    assert.match(plan.effect, /effective batch 16 → \d+|samples per GPU and step → /);
  });

  it('is not offered for a program that accumulates', async () => {
    const { plans, rejected } = await searched(axolotl(), 'RTX 4090', 'fit');
    const said = JSON.stringify([plans.map(({ id }) => id), rejected]);
    assert.doesNotMatch(said, /smaller effective batch|smaller-batch/);
  });
});

describe('the learning rate', () => {
  it('is shown with both rules if the effective batch changes', async () => {
    const { plans } = await searched(axolotl(), 'RTX 4090', 'fit', 128);
    assert.equal(
      plans[0]?.arithmetic[1]?.text,
      'learning_rate 0.0002: the batch is 4 times as large. Consider 0.0004 by the square root (Adam, arXiv 2205.10782), or 0.0008 by the linear rule (SGD, arXiv 1706.02677)',
    );
  });

  it('is not mentioned if the batch stays', async () => {
    const { plans } = await searched(axolotl(), 'RTX 4090', 'fit');
    assert.ok(
      plans.every(({ arithmetic }) => !arithmetic.some(({ text }) => text.startsWith('learning_rate'))),
    );
  });
});
