import type { Layer } from '../engine/compose';
import { shippedLayer } from '../engine/settings';
import type { Plain } from '../../yaml/scalars';
import { ownOf } from '../../yaml/tables';

type Tree = Readonly<Record<string, Plain>>;

const FRAMEWORK = { framework: 'mmengine', version: '0.10.7' };

/** Detectors of mmdet's configs, by their names with hyphens. */
const DETECTORS: Readonly<Record<string, Tree>> = {
  'faster-rcnn': { type: 'FasterRCNN' },
  'mask-rcnn': { type: 'MaskRCNN', roi_head: { mask_head: { type: 'FCNMaskHead' } } },
  'cascade-rcnn': { type: 'CascadeRCNN' },
  'cascade-mask-rcnn': { type: 'CascadeRCNN', roi_head: { mask_head: { type: 'FCNMaskHead' } } },
  retinanet: { type: 'RetinaNet' },
};

/** Heads of mmseg's configs with the channels of its base files. */
const SEGMENTERS: Readonly<Record<string, Tree>> = {
  fcn: { type: 'FCNHead', channels: 512, num_convs: 2, concat_input: true },
  pspnet: { type: 'PSPHead', channels: 512 },
  deeplabv3: { type: 'ASPPHead', channels: 512 },
  deeplabv3plus: { type: 'DepthwiseSeparableASPPHead', channels: 512, c1_channels: 48 },
  upernet: { type: 'UPerHead', channels: 512, in_index: [0, 1, 2, 3] },
};

const AUXILIARY = { type: 'FCNHead', channels: 256, num_convs: 1, concat_input: false, in_index: 2 };

/** Depth and width of YOLOX and RTMDet (mmdet configs/{yolox,rtmdet}). */
const SCALES: Readonly<Record<string, readonly [deepen: number, widen: number]>> = {
  s: [0.33, 0.5],
  m: [0.67, 0.75],
  l: [1, 1],
  x: [1.33, 1.25],
};
const FAMILIES = {
  yolox: {
    ...{ type: 'YOLOX', tiny: [0.33, 0.375], resizes: true, optimizer: 'SGD' },
    ...{ backbone: { type: 'CSPDarknet' }, neck: 'YOLOXPAFPN', head: 'YOLOXHead' },
  },
  rtmdet: {
    ...{ type: 'RTMDet', tiny: [0.167, 0.375], resizes: false, optimizer: 'AdamW' },
    backbone: { type: 'CSPNeXt', expand_ratio: 0.5, channel_attention: true },
    ...{ neck: 'CSPNeXtPAFPN', head: 'RTMDetSepBNHead' },
  },
};

/** As the older releases write it: what a config states in either way comes before. */
const SCHEDULE = { optimizer: { type: 'SGD' } };
const COCO = loader(2, 'Resize', [1333, 800]);

function loader(batch: number, step: string, size: readonly number[]): Tree {
  const pipeline = [{ type: step, [step === 'RandomCrop' ? 'crop_size' : 'scale']: [...size] }];
  return { train_dataloader: { batch_size: batch, num_workers: 2, dataset: { pipeline } } };
}

/** `faster-rcnn_r50-caffe_fpn_1x_coco`: mmdet's configs have 8 GPUs with 2 images unless they say otherwise. */
const DETECTOR =
  /^([a-z]+(?:-[a-z]+)*)_(r|x)(50|101)(?:-(32|64)x(4|8)d)?(-caffe)?_fpn(?:_(?:ms-)?[123]x_coco)?$/;
/** `yolox_s_8xb8-300e_coco`, `rtmdet_tiny_8xb32-300e_coco`. */
const SCALED = /^(yolox|rtmdet)_(tiny|[smlx])(?:_\d+xb(\d+)-300e_coco)?$/;
/** `deeplabv3plus_r50-d8_4xb2-80k_cityscapes-512x1024`. */
const SEGMENTER = /^([a-z0-9]+)_r(18|34|50|101)(-d8)?(?:_(?:\d+x)?b(\d+)-\d+k_[a-z0-9_]+-(\d+)x(\d+))?$/;
/** `resnet50_8xb32_in1k`. */
const CLASSIFIER = /^resnet(18|34|50|101|152)(?:_\d+xb(\d+)_in1k)?$/;

/** What a file of OpenMMLab's own configs says by its name, where it is not beside the config. Null: not known. */
export function namedBase(path: string): Layer | null {
  const name = (path.split(/[/:]/).at(-1) ?? '').replace(/\.py$/, '').toLowerCase();
  const keys = partNamed(name) ?? detector(name) ?? scaled(name) ?? segmenter(name) ?? classifier(name);
  return keys && shippedLayer(`configs of OpenMMLab: ${name}`, keys, FRAMEWORK);
}

function partNamed(name: string): Tree | null {
  if (/^(?:\w+_)?(?:default_)?runtime$/.test(name)) return { default_scope: 'mmengine' };
  if (/^schedule_(?:[123]x|20e|\d+k)$|^imagenet_bs\d+$/.test(name)) return SCHEDULE;
  if (/^coco_(?:detection|instance)$/.test(name)) return COCO;
  const [, batch] = /^imagenet_bs(\d+)(?:_pil_resize)?$/.exec(name) ?? [];
  return batch === undefined ? null : loader(Number(batch), 'RandomResizedCrop', [224, 224]);
}

/** Older releases have underscores: `faster_rcnn_r50_caffe_fpn_1x_coco`. */
const hyphened = (name: string): string =>
  name
    .replace(/^((?:cascade_)?(?:mask|faster)?_?)rcnn/, kind => kind.replaceAll('_', '-'))
    .replace(/_(?=\d+x\d+d_)/, '-')
    .replace('_caffe', '-caffe')
    .replace(/_mstrain(?:-poly)?_/, '_ms-');

function detector(name: string): Tree | null {
  const [, kind = '', letter, depth, groups, width, caffe] = DETECTOR.exec(hyphened(name)) ?? [];
  if (!Object.hasOwn(DETECTORS, kind)) return null;
  const aggregated = { groups: Number(groups ?? 32), base_width: Number(width ?? 8) };
  const backbone = {
    type: letter === 'x' ? 'ResNeXt' : 'ResNet',
    depth: Number(depth),
    style: caffe === undefined ? 'pytorch' : 'caffe',
    ...(letter === 'x' && aggregated),
  };
  const model = { ...DETECTORS[kind], backbone, neck: { type: 'FPN' } };
  return { model, ...(name.endsWith('_coco') && { ...COCO, ...SCHEDULE }) };
}

function scaled(name: string): Tree | null {
  const [, kind = '', size = '', batch] = SCALED.exec(name) ?? [];
  const family = ownOf(FAMILIES, kind);
  if (family === undefined) return null;
  const [deepen_factor = 1, widen_factor = 1] = size === 'tiny' ? family.tiny : (SCALES[size] ?? []);
  const wide = 256 * widen_factor;
  const sizes = { num_classes: 80, in_channels: wide, feat_channels: wide, stacked_convs: 2 };
  const range = size === 'tiny' ? [320, 640] : [480, 800];
  const resized = { batch_augments: [{ type: 'BatchSyncRandomResize', random_size_range: range }] };
  const model = {
    type: family.type,
    ...(family.resizes && { data_preprocessor: resized }),
    backbone: { ...family.backbone, deepen_factor, widen_factor },
    neck: { type: family.neck, out_channels: wide, num_csp_blocks: Math.round(3 * deepen_factor) },
    bbox_head: { type: family.head, ...sizes },
  };
  if (batch === undefined) return { model };
  return { model, ...loader(Number(batch), 'Resize', [640, 640]), optimizer: { type: family.optimizer } };
}

function segmenter(name: string): Tree | null {
  const [, kind = '', depth, dilated, batch, height, width] = SEGMENTER.exec(name) ?? [];
  if (!Object.hasOwn(SEGMENTERS, kind)) return null;
  const classes = { num_classes: name.includes('ade20k') ? 150 : 19 };
  const strides = dilated === undefined ? [1, 2, 2, 2] : [1, 2, 1, 1];
  const model = {
    type: 'EncoderDecoder',
    backbone: { type: 'ResNetV1c', depth: Number(depth), strides },
    decode_head: { ...SEGMENTERS[kind], ...classes },
    auxiliary_head: { ...AUXILIARY, ...classes },
  };
  if (batch === undefined) return { model };
  return { model, ...loader(Number(batch), 'RandomCrop', [Number(height), Number(width)]), ...SCHEDULE };
}

function classifier(name: string): Tree | null {
  const [, depth, batch] = CLASSIFIER.exec(name) ?? [];
  if (depth === undefined) return null;
  const model = { type: 'ImageClassifier', backbone: { type: 'ResNet', depth: Number(depth) } };
  if (batch === undefined) return { model };
  return { model, ...loader(Number(batch), 'RandomResizedCrop', [224, 224]), ...SCHEDULE };
}
