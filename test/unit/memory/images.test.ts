import assert from 'node:assert/strict';
import { estimateRun } from '../../../src/core/memory/estimateRun';
import { architectures } from '../../../src/core/memory/architectures/registry';
import { buildStage, windowed, winograd } from '../../../src/core/memory/blocks/images/layers';
import { buildResidualBlock } from '../../../src/core/memory/blocks/images/residual';
import type { FeatureMaps } from '../../../src/core/memory/blocks/images/layers';
import { Graph } from '../../../src/core/memory/autograd';
import { ModelBuilder } from '../../../src/core/memory/builder';
import type { Repeated } from '../../../src/core/memory/modules';
import { batchNorm } from '../../../src/core/memory/ops/norm';
import { convolution } from '../../../src/core/memory/ops/convolution';
import {
  activationInPlace,
  addInPlace,
  dropoutInPlace,
  reluInPlace,
} from '../../../src/core/memory/ops/inPlace';
import { mean, stochasticDepth } from '../../../src/core/memory/ops/pointwise';
import { averagePool, maxPool } from '../../../src/core/memory/ops/pooling';
import { Tape } from '../../../src/core/memory/tape';
import type { Tensor } from '../../../src/core/memory/tensor';
import { play } from '../../../src/core/memory/timeline';
import type { MemoryRun } from '../../../src/core/memory/run';
import type { ModelFacts } from '../../../src/core/models/model';
import { timmModel, torchvisionModel } from '../../../src/core/models/imageModels';
import timm from '../../../src/core/models/timm.json';
import table from '../../../src/core/models/torchvision.json';
import { detector } from '../../../src/core/memory/architectures/detector';
import { normNamed } from '../../../src/core/memory/blocks/images/detection/norms';
import { detectorModel } from '../../../src/core/models/detectors';
import { statedRun } from '../../eval/accuracy/stated';
import { costOf, memoryRun, parameter, trainedIn } from './support';
import type { Cost } from './support';

const BF16 = 4096 * 2;
const BLOCK = 512;

type Op = (tape: Tape, x: Tensor) => Tensor;

/** 4096 elements as 16 channels. */
const CHANNELS = 16;
const kernel = (tape: Tape) => ({
  weight: parameter(tape, [2 * CHANNELS, CHANNELS, 3, 3], 'bf16'),
  bias: parameter(tape, [2 * CHANNELS], 'bf16'),
});
const WEIGHT = 2 * CHANNELS * CHANNELS * 9 * 2;

// Read event by event where these operations occur in torchvision's models on fake tensors (torch 2.15). The kept
// bytes
// include the operation's parameters.
const CASES: readonly (readonly [string, Op, Cost])[] = [
  ['relu_', reluInPlace, { result: BF16, kept: 0, backward: BF16 }],
  ['silu_ copies its input', activationInPlace, { result: BF16, kept: BF16, backward: BF16 }],
  [
    'dropout_ keeps a mask',
    (tape, x) => dropoutInPlace(tape, x, 0.2),
    { result: BF16, kept: BF16, backward: BF16 },
  ],
  [
    'max_pool2d',
    (tape, x) => maxPool(tape, x, 1024),
    { result: BF16 / 4, kept: BF16 + 8192, backward: BF16 },
  ],
  [
    'adaptive_avg_pool2d',
    (tape, x) => averagePool(tape, x, 1024),
    { result: BF16 / 4, kept: BF16, backward: BF16 },
  ],
  [
    'stochastic depth',
    (tape, x) => stochasticDepth(tape, x, 4),
    { result: BF16, kept: BLOCK, backward: BF16 },
  ],
  [
    'conv2d makes all its gradients at once',
    (tape, x) => convolution(tape, x, kernel(tape), 8192),
    { result: 2 * BF16, kept: BF16 + WEIGHT + BLOCK, backward: BF16 + WEIGHT + BLOCK },
  ],
  [
    'batch_norm keeps two numbers a channel',
    (tape, x) =>
      batchNorm(tape, x, {
        weight: parameter(tape, [CHANNELS], 'bf16'),
        bias: parameter(tape, [CHANNELS], 'bf16'),
      }),
    { result: BF16, kept: BF16 + 4 * BLOCK, backward: BF16 + 2 * BLOCK },
  ],
];

describe('memory: what operations on images keep', () => {
  for (const [name, op, cost] of CASES) it(name, () => assert.deepEqual(costOf(op), cost));

  it('x += y takes no memory', () => {
    const tape = new Tape();
    const [x, y] = [tape.keep(tape.empty(4096, 'bf16')), tape.keep(tape.empty(4096, 'bf16'))];
    const before = tape.ledger.live;
    addInPlace(tape, x, y);
    assert.equal(tape.ledger.live, before);
  });

  it('a window gives what torch.nn.Conv2d says', () => {
    const maps = { batch: 1, channels: 3, height: 224, width: 225 };
    const { height, width } = windowed(maps, { size: 7, stride: 2, padding: 3 });
    assert.deepEqual([height, width], [112, 113]);
  });
});

/** A builder that treats no two parts as equal. */
class Unrolling extends ModelBuilder {
  override repeat<Part>(times: number, make: () => Part): readonly Repeated<Part>[] {
    return Array.from({ length: times }, () => ({ part: make(), times: 1 }));
  }
}

/** Forward and backward peaks of a stage whose blocks keep tensors that the next block keeps, too. */
function peaksOf(builder: (tape: Tape, run: MemoryRun) => ModelBuilder, blocks: number, side: number) {
  const tape = new Tape();
  const run = memoryRun();
  const made = builder(tape, run);
  const shape = { bottleneck: true, groups: 1, widthPerGroup: 64, planes: 64, stride: 1 };
  const block = (from: FeatureMaps) => buildResidualBlock(made, from, shape);
  const maps = { batch: 2, channels: 256, height: side, width: side };
  const { steps } = buildStage(made, maps, { blocks, first: block, other: block });
  tape.ledger.takePeak();
  const graph = new Graph(tape);
  tape.graph = graph;
  const input = tape.keep(tape.empty(2 * 256 * side * side, 'bf16'));
  const output = tape.keep(
    mean(
      tape,
      steps.reduce((x, step) => step(tape, x), input),
      side * side,
    ),
  );
  const forward = tape.ledger.takePeak().bytes;
  tape.graph = null;
  graph.backward(output, tape.keep(tape.like(output)));
  return [forward, tape.ledger.takePeak().bytes];
}

describe('memory: blocks of images', () => {
  for (const [blocks, side] of [
    [2, 8],
    [5, 8],
    [9, 56],
    [23, 14],
  ] as const) {
    it(`${blocks} equal blocks on ${side} × ${side} are as many single ones`, () => {
      const walked = peaksOf((tape, run) => new ModelBuilder(tape, run), blocks, side);
      const unrolled = peaksOf((tape, run) => new Unrolling(tape, run), blocks, side);
      assert.deepEqual(walked, unrolled);
    });
  }
});

describe("memory: torchvision's models", () => {
  for (const [name, row] of Object.entries(table.models)) {
    const architecture = architectures.find(({ modelTypes }) => modelTypes.includes(row.model_type));
    if (!architecture) continue;
    it(`${name} has as many parameters as its weights`, () => {
      const model = torchvisionModel(name);
      assert.ok(model);
      const image = { channels: 3, height: 224, width: 224 };
      const run = memoryRun({ model, head: 'image-classification', tokens: 1, image });
      assert.equal(trainedIn(play(architecture, run)), row.parameters);
    });
  }

  it('are found by the names that configs have for them', () => {
    for (const name of ['resnet50', 'torchvision/resnet50', 'torchvision.models.resnet50']) {
      assert.equal(torchvisionModel(name)?.modelType, 'torchvision_resnet');
    }
    assert.equal(torchvisionModel('resnet51'), null);
    assert.equal(torchvisionModel('constructor'), null);
  });
});

describe('memory: what cuDNN takes for a convolution', () => {
  const maps = { batch: 2, channels: 256, height: 200, width: 336 };
  const shape = { channels: 256, size: 3, padding: 1 };

  it('is tiles of 6 × 6 for every 4 × 4 of input and output, and of the weight', () => {
    assert.equal(winograd(maps, maps, shape), 36 * (2 * 50 * 84 * (256 + 256) + 256 * 256));
  });

  it('is nothing for other windows, strides and groups', () => {
    for (const other of [{ size: 1 }, { stride: 2 }, { groups: 32 }]) {
      assert.equal(winograd(maps, maps, { ...shape, ...other }), 0);
    }
  });

  const peakOf = (dtype: 'fp32' | 'bf16', usesCudnn: boolean): number => {
    const tape = new Tape();
    tape.usesCudnn = usesCudnn;
    const x = tape.keep(tape.empty(4096, dtype));
    const weight = parameter(tape, [16, 16, 3, 3], dtype);
    tape.ledger.takePeak();
    tape.keep(convolution(tape, x, { weight, bias: null, transformed: 10_240 }, 4096));
    return tape.ledger.takePeak().bytes;
  };

  it('is there in fp32 only, while the kernel runs', () => {
    assert.equal(peakOf('fp32', true) - peakOf('fp32', false), 10_240 * 4);
    assert.equal(peakOf('bf16', true), peakOf('bf16', false));
  });
});

describe('memory: detectors', () => {
  const trained = (name: string): number => {
    const model = detectorModel(name);
    assert.ok(model, name);
    const image = { channels: 3, height: 800, width: 1333 };
    return trainedIn(play(detector, memoryRun({ model, head: 'detector', tokens: 1, image })));
  };

  it('are found by the names of their configs', () => {
    assert.equal(detectorModel('COCO-Detection/faster_rcnn_R_50_C4_1x.yaml')?.extra['neck'], 'c4');
    assert.equal(detectorModel('faster-rcnn_x101-64x4d_fpn_1x_coco')?.extra['groups'], 64);
    assert.equal(detectorModel('mask-rcnn_r50-caffe_fpn_1x_coco')?.extra['stride_first'], true);
    assert.equal(detectorModel('someone/model_r50'), null);
  });

  it('train all but the stem and the first stage', () => {
    // Convolution weights: torchvision's ResNet-50 without its classifier and norms, minus 64 · 3 · 49 of the stem
    // and the 212,992 of the first stage.
    const backbone = 25_557_032 - 2_049_000 - 53_120 - 9_408 - 212_992;
    const pyramid = 256 * (256 + 512 + 1024 + 2048) + 4 * 256 * 256 * 9 + 8 * 256;
    const proposals = 256 * 256 * 9 + 256 + 15 * 256 + 15;
    assert.equal(trained('rpn_R_50_FPN_1x'), backbone + pyramid + proposals);
    const box = 256 * 49 * 1024 + 1024 + 1024 * 1024 + 1024 + 1024 * (81 + 320) + 81 + 320;
    assert.equal(trained('faster_rcnn_R_50_FPN_1x'), backbone + pyramid + proposals + box);
  });

  it('keep no maps for a frozen norm, and the input of one that is only evaluated', () => {
    const at = { batch: 1, channels: CHANNELS, height: 16, width: 16 };
    const kept = (name: string): number =>
      costOf((tape, x) => normNamed(name)(new ModelBuilder(tape, memoryRun()), at)(tape, x)).kept;
    // Its four buffers.
    assert.equal(kept('frozen'), 4 * BLOCK);
    assert.ok(kept('evaluated') >= BF16);
  });
});

describe("memory: timm's models", () => {
  for (const [name, row] of Object.entries(timm.models)) {
    it(`${name} has as many parameters as timm makes`, () => {
      const model = timmModel(`timm/${name}.some_weights`);
      assert.ok(model);
      const image = { channels: 3, height: row.image_size, width: row.image_size };
      const run = memoryRun({ model, head: 'image-classification', tokens: 1, image });
      const architecture = architectures.find(({ modelTypes }) => modelTypes.includes(row.model_type));
      assert.ok(architecture);
      assert.equal(trainedIn(play(architecture, run)), row.parameters);
    });
  }

  it('are found by names with and without their weights', () => {
    assert.equal(timmModel('vit_huge_patch14_224')?.layers, 32);
    assert.equal(timmModel('hf-hub:timm/vit_huge_patch14_224.orig_in21k')?.layers, 32);
    assert.equal(timmModel('someone/vit_huge_patch14_224'), null);
  });
});

describe('memory: a run of an image model that says little', () => {
  const result = (
    model: ModelFacts,
    imageSize?: readonly [number, number],
    gradientCheckpointing = false,
  ) => {
    const stated = {
      method: 'full',
      microBatchSize: 4,
      loadDtype: 'fp32',
      optimizer: 'sgd',
      gpus: 1,
      gradientCheckpointing,
    } as const;
    const framework = { id: 'transformers' as const, name: 'transformers', version: null, libraries: {} };
    const run = statedRun('run', framework, { ...stated, ...(imageSize && { imageSize }) }, {});
    return estimateRun(run, model, null);
  };
  const model = torchvisionModel('resnet18');
  assert.ok(model);

  it('is taken to train a classifier, on images of the size that it was made for', () => {
    const found = result(model);
    assert.ok(found.ok);
    assert.match(found.estimate.assumptions.join(), /classifier of images.*224 × 224/);
  });

  it('takes more memory the larger its images are', () => {
    const [small, large] = [result(model, [224, 224]), result(model, [320, 320])];
    assert.ok(small.ok && large.ok);
    const bytes = [small, large].map(({ estimate }) => estimate.devices[0]?.allocated.expected ?? 0);
    assert.ok((bytes[0] ?? 0) < (bytes[1] ?? 0));
  });

  it('is refused where it is checkpointed and nobody has modelled that', () => {
    assert.deepEqual(result(model, [224, 224], true), {
      ok: false,
      missing: ['gradient checkpointing in torchvision_resnet models'],
      gaps: [{ what: 'other' }],
    });
  });

  it('lacks the image size where nobody knows it', () => {
    const found = result({ ...model, extra: { ...model.extra, image_size: null } });
    assert.deepEqual(found, { ok: false, missing: ['the image size'], gaps: [{ what: 'other' }] });
  });
});
