import assert from 'node:assert/strict';
import { readConfig } from '../../../src/core/reading/read';
import type { Reading } from '../../../src/core/reading/read';
import type { RunSpec } from '../../../src/core/spec/runSpec';

const MODEL = `
model = dict(
    type='FasterRCNN',
    backbone=dict(type='ResNet', depth=50, style='pytorch'),
    neck=dict(type='FPN', out_channels=256),
    roi_head=dict(bbox_head=dict(num_classes=80)))
`;
const DATA = `
image_scale = (1333, 800)
train_pipeline = [
    dict(type='LoadImageFromFile'),
    dict(type='Resize', scale=image_scale, keep_ratio=True),
    dict(type='PackDetInputs')
]
train_dataloader = dict(batch_size=2, num_workers=2, dataset=dict(type='CocoDataset', pipeline=train_pipeline))
`;
const SCHEDULE = `optim_wrapper = dict(type='OptimWrapper', optimizer=dict(type='SGD', lr=0.02))\n`;
const BASES = {
  'w/configs/_base_/model.py': MODEL,
  'w/configs/_base_/data.py': DATA,
  'w/configs/_base_/schedule.py': SCHEDULE,
};
const NAMES = `_base_ = ['_base_/model.py', '_base_/data.py', '_base_/schedule.py']\n`;

async function read(text: string, files: Readonly<Record<string, string>> = {}): Promise<Reading> {
  const path = 'w/configs/own.py';
  const all: Readonly<Record<string, string>> = { ...BASES, ...files, [path]: text };
  const world = {
    files: {
      read: (asked: string) => {
        const found = all[asked];
        return Promise.resolve(found === undefined ? ({ absence: 'missing' } as const) : { text: found });
      },
      list: () => Promise.resolve([]),
    },
  };
  return readConfig(path, text, world, { aborted: false });
}

async function runOf(text: string, files: Readonly<Record<string, string>> = {}): Promise<RunSpec> {
  const { runs } = await read(text, files);
  return runs[0] ?? assert.fail('there is a run');
}

const valuesOf = ({
  quantities: { model, microBatchSize, imageSize, precision, optimizer, task },
}: RunSpec) => ({
  ...{ model: model.value, batch: microBatchSize.value, size: imageSize.value },
  ...{ precision: precision.value, optimizer: optimizer.value, task: task.value },
});

describe('dialects: configs of OpenMMLab', () => {
  it('are Python that is read as data, with the files beneath', async () => {
    assert.deepEqual(valuesOf(await runOf(NAMES)), {
      ...{ model: 'faster-rcnn_r50_fpn', batch: 2, size: [1333, 800], precision: 'fp32' },
      ...{ optimizer: 'SGD', task: 'object_detection' },
    });
  });

  it('say what is different, section by section, at its own place', async () => {
    const text = `${NAMES}batch = 2 * 4\ntrain_dataloader = dict(batch_size=batch)\noptim_wrapper = dict(type='AmpOptimWrapper')\n`;
    const run = await runOf(text);
    assert.deepEqual(valuesOf(run), {
      ...{ model: 'faster-rcnn_r50_fpn', batch: 8, size: [1333, 800], precision: 'fp16-mixed' },
      ...{ optimizer: 'SGD', task: 'object_detection' },
    });
    const { origin } = run.quantities.microBatchSize;
    assert.equal('at' in origin && text.slice(origin.at.valueSpan.start, origin.at.valueSpan.end), 'batch');
  });

  it('replace a section beneath with _delete_', async () => {
    const optimizer = `optim_wrapper = dict(_delete_=True, optimizer=dict(type='AdamW'))\n`;
    const backbone = `model = dict(backbone=dict(_delete_=True, type='SwinTransformer'))\n`;
    const run = await runOf(NAMES + optimizer + backbone);
    assert.equal(run.quantities.optimizer.value, 'AdamW');
    assert.equal(run.quantities.model.value, 'FasterRCNN');
  });

  it('have the optimizer of the wrapper, whatever a name beneath is bound to', async () => {
    const schedule = `optimizer = dict(type='SGD', lr=0.01)\noptim_wrapper = dict(type='OptimWrapper', optimizer=optimizer)\n`;
    const own = `optim_wrapper = dict(_delete_=True, type='OptimWrapper', optimizer=dict(type='AdamW'))\n`;
    const run = await runOf(NAMES + own, { 'w/configs/_base_/schedule.py': schedule });
    assert.equal(run.quantities.optimizer.value, 'AdamW');
  });

  it('use values of the files beneath, in both spellings', async () => {
    for (const size of ['_base_.image_scale', "'{{_base_.image_scale}}'", '{{_base_.image_scale}}']) {
      const pipeline = `size = ${size}\ntrain_pipeline = [dict(type='Resize', scale=size)]\n`;
      const loader = 'train_dataloader = dict(dataset=dict(pipeline=train_pipeline))\n';
      const run = await runOf(NAMES + pipeline + loader);
      assert.deepEqual(run.quantities.imageSize.value, [1333, 800], size);
    }
  });

  it('are read with names of classes and imported files', async () => {
    const text = [
      'from mmengine.config import read_base',
      'from mmdet.models import FasterRCNN',
      'with read_base():',
      '    from ._base_.data import *',
      '    from ._base_.schedule import *',
      'model = dict(type=FasterRCNN, backbone=dict(type=ResNet, depth=101), neck=dict(type=FPN))',
    ].join('\n');
    const run = await runOf(text);
    assert.equal(run.quantities.model.value, 'faster-rcnn_r101_fpn');
    assert.equal(run.quantities.microBatchSize.value, 2);
  });

  it('of the older releases have other keys', async () => {
    const run = await runOf(`
_base_ = ['_base_/model.py']
data = dict(samples_per_gpu=4, workers_per_gpu=2, train=dict(pipeline=[dict(type='Resize', img_scale=[(1333, 640), (1333, 800)])]))
optimizer = dict(type='SGD', lr=0.02)
fp16 = dict(loss_scale=512.)
`);
    assert.deepEqual(valuesOf(run), {
      ...{ model: 'faster-rcnn_r50_fpn', batch: 4, size: [1333, 800], precision: 'fp16-mixed' },
      ...{ optimizer: 'SGD', task: 'object_detection' },
    });
  });

  it('know the files of the libraries by their names', async () => {
    for (const [base, model, batch, size] of [
      [
        'mmdet::faster_rcnn/faster-rcnn_r101-caffe_fpn_1x_coco.py',
        'faster-rcnn_r101-caffe_fpn',
        2,
        [1333, 800],
      ],
      [
        '../mmdetection/configs/faster_rcnn/faster_rcnn_r50_fpn_1x_coco.py',
        'faster-rcnn_r50_fpn',
        2,
        [1333, 800],
      ],
      [
        'mmdetection/configs/rpn/faster_rcnn_x101_32x4d_fpn_1x_coco.py',
        'faster-rcnn_x101-32x4d_fpn',
        2,
        [1333, 800],
      ],
      ['mmdet::x/cascade-rcnn_r50_fpn_1x_coco.py', 'cascade-rcnn_r50_fpn', 2, [1333, 800]],
      ['mmdet::yolox/yolox_m_8xb8-300e_coco.py', 'YOLOX', 8, [800, 800]],
      ['mmdet::rtmdet/rtmdet_tiny_8xb32-300e_coco.py', 'RTMDet', 32, [640, 640]],
      ['mmseg::pspnet/pspnet_r50-d8_4xb4-80k_ade20k-512x512.py', 'EncoderDecoder', 4, [512, 512]],
      ['../mmpretrain/configs/resnet/resnet50_8xb32_in1k.py', 'resnet50', 32, [224, 224]],
    ] as const) {
      const { quantities } = await runOf(
        `_base_ = '${base}'\ntrain_cfg = dict(max_epochs=12)\nmodel = dict()\n`,
      );
      assert.equal(quantities.model.value, model);
      assert.equal(quantities.microBatchSize.value, batch);
      assert.deepEqual(quantities.imageSize.value, size);
    }
    const run = await runOf(
      `_base_ = 'mmdet::faster_rcnn/faster_rcnn_r50_fpn_1x_coco.py'\ndata = dict(samples_per_gpu=6)\n`,
    );
    assert.equal(run.quantities.microBatchSize.value, 6);
  });

  it('leave open what a missing file would say', async () => {
    const run = await runOf(`_base_ = ['gone.py']\nmodel = dict(backbone=dict(depth=50))\n`);
    assert.equal(run.quantities.microBatchSize.value, null);
    assert.equal(run.quantities.precision.value, null);
  });

  it('that are only a part, and programs, are no run', async () => {
    for (const text of [
      MODEL,
      DATA,
      'model = dict(a=1)\nprint(model)\n',
      'import torch\nmodel = torch.nn.Linear(2, 2)\n',
    ]) {
      assert.deepEqual((await read(text)).runs, [], text);
    }
  });

  it('have the size of the last step that decides it', async () => {
    const steps = `[dict(type='RandomResize', scale=(2048, 512)), dict(type='RandomCrop', crop_size=(512, 1024)), dict(type='RandomFlip')]`;
    const run = await runOf(`${NAMES}train_dataloader = dict(dataset=dict(pipeline=${steps}))\n`);
    assert.deepEqual(run.quantities.imageSize.value, [1024, 512]);
  });

  it('join lists of steps with a star', async () => {
    const steps = `first = [dict(type='Resize', scale=(640, 480))]
last = [dict(type='RandomCrop', crop_size=(256, 320))]
train_dataloader = dict(batch_size=2, dataset=dict(pipeline=[*first, dict(type='Flip'), *last]))\n`;
    const { quantities } = await runOf(MODEL + steps + SCHEDULE);
    assert.deepEqual(quantities.imageSize.value, [320, 256]);
  });

  it('have the largest size that whole batches are resized to', async () => {
    const run = await runOf(`
model = dict(
    type='YOLOX',
    data_preprocessor=dict(
        batch_augments=[dict(type='BatchSyncRandomResize', random_size_range=(480, 800), size_divisor=32)]))
train_pipeline = [dict(type='Mosaic', img_scale=(640, 640))]
train_dataloader = dict(batch_size=8, dataset=dict(pipeline=train_pipeline))
${SCHEDULE}`);
    assert.deepEqual(run.quantities.imageSize.value, [800, 800]);
  });

  it('of classifiers are known by their backbone', async () => {
    const rest = `train_dataloader = dict(batch_size=32)\n${SCHEDULE}`;
    for (const [backbone, model] of [
      ["type='ResNet', depth=50", 'resnet50'],
      ["type='SwinTransformer', arch='tiny'", 'swin_t'],
      ["type='VisionTransformer', arch='b', patch_size=16", 'vit_base_patch16_224'],
      ["type='ConvNeXt', arch='small'", 'convnext_small'],
      ["type='Unheard'", 'ImageClassifier'],
    ] as const) {
      const run = await runOf(`model = dict(type='ImageClassifier', backbone=dict(${backbone}))\n${rest}`);
      assert.equal(run.quantities.model.value, model);
    }
  });

  it('of segmenters say of which layers they are', async () => {
    const { network } = await runOf(`
model = dict(
    type='EncoderDecoder',
    backbone=dict(type='ResNetV1c', depth=50, strides=(1, 2, 1, 1)),
    decode_head=dict(type='PSPHead', channels=512, num_classes=19),
    auxiliary_head=dict(type='FCNHead', channels=256))
train_dataloader = dict(batch_size=2)
${SCHEDULE}`);
    assert.equal(network?.path, 'openmmlab.build');
    const { model } = network.arguments as { readonly model: Record<string, Record<string, unknown>> };
    assert.deepEqual(model['backbone']?.['strides'], [1, 2, 1, 1]);
    assert.equal(model['auxiliary_head']?.['channels'], 256);
  });
});
