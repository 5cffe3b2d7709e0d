import assert from 'node:assert/strict';
import { setUp } from '../../../src/core/memory/setup/setUp';
import { play } from '../../../src/core/memory/timeline';
import type { Played } from '../../../src/core/memory/played';
import { imageModel } from '../../../src/core/models/imageModels';
import { statedRun } from '../../eval/accuracy/stated';
import { fixture } from './support';

interface Run {
  readonly model: string;
  readonly task: string;
  readonly microBatchSize: number;
  readonly side: number;
  readonly precision: string;
  readonly bytes: Readonly<Record<string, number>>;
}

function played({ model: name, side, task, microBatchSize, precision }: Run): Played {
  const model = imageModel(name);
  assert.ok(model, name);
  const run = statedRun(
    name,
    { id: 'ultralytics', name: 'ultralytics', version: '8.3.0' },
    {
      task,
      microBatchSize,
      precision,
      method: 'full',
      gradAccum: 1,
      loadDtype: 'fp32',
      gpus: 1,
      optimizer: 'AdamW',
      imageSize: [side, side],
    },
    { autocast: precision !== 'fp32' },
  );
  const found = setUp(run, model, null);
  assert.ok(found.ok, found.ok ? '' : found.missing.join());
  return play(found.plan.architecture, found.plan.memoryRun);
}

const small = (model: string): Run => ({
  model,
  task: 'object_detection',
  microBatchSize: 1,
  side: 64,
  precision: 'fp32',
  bytes: {},
});

const trainedIn = ({ trainable }: Played): number =>
  trainable.reduce(
    (sum, { times, parameters }) => sum + times * parameters.reduce((all, { elements }) => all + elements, 0),
    0,
  );

/** A batch's labels take a block of their own here; the driver's loss has none. */
const BLOCK = 512;

describe('memory: YOLO of Ultralytics', () => {
  // ultralytics 8.3.252 on fake tensors (torch 2.15): the network of its YAML, forward, loss of boxes and classes, backward.
  for (const run of fixture('yolo') as readonly Run[]) {
    it(`${run.model} takes what its code does, in ${run.precision}`, () => {
      const peaks = new Map<string, number>(played(run).phases.map(({ phase, peak }) => [phase, peak.bytes]));
      for (const [phase, bytes] of Object.entries(run.bytes)) {
        assert.ok(
          Math.abs((peaks.get(phase) ?? 0) - bytes) <= BLOCK,
          `${phase} ${peaks.get(phase)} ${bytes}`,
        );
      }
    });
  }

  // Gradient counts in the headers of cfg/models/v8/yolov8.yaml, 11/yolo11.yaml, yolo11-seg.yaml and
  // yolo11-cls.yaml.
  for (const [model, count] of Object.entries({
    'yolov8n.pt': 3_157_184,
    'yolov8s.pt': 11_166_544,
    'yolov8m.pt': 25_902_624,
    'yolov8l.pt': 43_691_504,
    'models/yolov8x.pt': 68_229_632,
    'yolo11n.yaml': 2_624_064,
    'yolo11m.pt': 20_114_672,
    'yolo11l.pt': 25_372_144,
    'yolo11s-seg.pt': 10_113_232,
    'yolo11x-seg.pt': 62_142_640,
    // The header counts 80 classes, not ImageNet's 1,000.
    'yolo11x-cls.pt': 28_458_544 + 920 * 1281,
  })) {
    it(`${model} trains ${count} parameters`, () => {
      assert.equal(trainedIn(played(small(model))), count);
    });
  }

  it('counts masks of seven objects an image, which it says', () => {
    const [plain, masks] = ['yolov8n.pt', 'yolov8n-seg.pt'].map(
      model => played({ ...small(model), side: 640 }).kept,
    );
    // For each of ten places, two fp32 masks with a quarter of each side, and one bit of each.
    assert.ok((masks ?? 0) - (plain ?? 0) > 7 * 10 * 160 ** 2 * 9);
  });

  it('is known by no other names', () => {
    for (const name of ['yolov8', 'yolov8n-world.pt', 'yolov5n.pt', 'myolov8n.pt']) {
      assert.equal(imageModel(name), null, name);
    }
  });
});
