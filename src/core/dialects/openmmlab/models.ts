import type { RunReader } from '../engine/runReader';
import type { Quantity } from '../../spec/quantity';
import { ownOf } from '../../yaml/tables';

/** Detectors whose memory is known, by the names of mmdet's configs. */
const DETECTORS: Readonly<Record<string, string>> = {
  FasterRCNN: 'faster-rcnn',
  MaskRCNN: 'mask-rcnn',
  RetinaNet: 'retinanet',
  RPN: 'rpn',
  FastRCNN: 'fast-rcnn',
};

const BACKBONE = 'model.backbone';

/** The name under which the model's memory is known; others have their type. */
export function modelByName(run: RunReader): Quantity<string> {
  const type = run.word('model.type');
  if (type === null) return run.unknown('The config names no model.');
  const backbone = run.word(`${BACKBONE}.type`);
  const mit = backbone === 'MixVisionTransformer' ? segformer(run) : null;
  if (mit !== null) return run.derived(mit, ['model.type', `${BACKBONE}.type`], `${type} with ${backbone}`);
  const isDetector = ownOf(DETECTORS, type) !== undefined || type === 'CascadeRCNN';
  const name = isDetector ? detector(run, type, backbone) : classifier(run, type, backbone);
  if (name === null || backbone === null) return run.at('model.type', type);
  return run.derived(name, ['model.type', `${BACKBONE}.type`], `${type} with ${backbone}`);
}

function detector(run: RunReader, type: string, backbone: string | null): string | null {
  const hasMasks = run.has('model.roi_head.mask_head');
  const kind =
    type === 'CascadeRCNN' ? (hasMasks ? 'cascade-mask-rcnn' : 'cascade-rcnn') : ownOf(DETECTORS, type);
  if (kind === undefined || run.word('model.neck.type') !== 'FPN') return null;
  const trunk = trunkOf(run, backbone);
  return trunk && `${kind}_${trunk}`;
}

/** Widths and layers of SegFormer's encoders (mmseg configs/segformer). */
const MIT: Readonly<Record<string, string>> = {
  '32,2,2': 'b0',
  '64,2,2': 'b1',
  '64,4,6': 'b2',
  '64,4,18': 'b3',
  '64,8,27': 'b4',
  '64,6,40': 'b5',
};

function segformer(run: RunReader): string | null {
  if (run.word('model.decode_head.type') !== 'SegformerHead') return null;
  const [width, second, third] = ['embed_dims', 'num_layers[1]', 'num_layers[2]'].map(
    key => run.count(`${BACKBONE}.${key}`) ?? 0,
  );
  const size = ownOf(MIT, `${width},${second},${third}`);
  return size === undefined ? null : `segformer_mit-${size}`;
}

const SWINS: Readonly<Record<string, string>> = { '96,6': 't', '96,18': 's', '128,18': 'b' };

function trunkOf(run: RunReader, backbone: string | null): string | null {
  if (backbone === 'SwinTransformer') {
    const size = ownOf(SWINS, `${run.count(`${BACKBONE}.embed_dims`)},${run.count(`${BACKBONE}.depths[2]`)}`);
    return size === undefined ? null : `swin-${size}-p4-w7_fpn`;
  }
  const depth = run.count(`${BACKBONE}.depth`);
  const style = run.word(`${BACKBONE}.style`) === 'caffe' ? '-caffe' : '';
  if (backbone === 'ResNet' && depth !== null) return `r${depth}${style}_fpn`;
  if (backbone !== 'ResNeXt' || depth === null) return null;
  const groups = run.count(`${BACKBONE}.groups`) ?? 32;
  return `x${depth}-${groups}x${run.count(`${BACKBONE}.base_width`) ?? 4}d_fpn`;
}

/** mmpretrain's names of sizes, in the words of torchvision and timm. */
const SIZES: Readonly<Record<string, string>> = {
  t: 'tiny',
  s: 'small',
  b: 'base',
  l: 'large',
  'deit-t': 'tiny',
  'deit-s': 'small',
  'deit-b': 'base',
};

type Namer = (size: string, run: RunReader) => string | null;

const letter = (size: string): string => size.charAt(0);

/** Backbones of mmpretrain that are networks of torchvision or timm. */
const BACKBONES: Readonly<Record<string, Namer>> = {
  SwinTransformer: size => `swin_${letter(size)}`,
  ConvNeXt: size => `convnext_${size}`,
  VisionTransformer: (size, run) => `vit_${size}_patch${run.count(`${BACKBONE}.patch_size`) ?? 16}_224`,
  EfficientNet: size => `efficientnet_${size}`,
  MobileNetV2: (_, run) => (run.has(`${BACKBONE}.widen_factor`) ? null : 'mobilenet_v2'),
  MobileNetV3: size => `mobilenet_v3_${size}`,
  DenseNet: size => `densenet${size}`,
  VGG: (_, run) => (run.count(`${BACKBONE}.depth`) === 16 ? 'vgg16' : null),
  ResNeXt: (_, run) =>
    ({ 50: 'resnext50_32x4d', 101: 'resnext101_32x8d' })[run.count(`${BACKBONE}.depth`) ?? 0] ?? null,
  ResNet: (_, run) => {
    const depth = run.count(`${BACKBONE}.depth`);
    return depth === null ? null : `resnet${depth}`;
  },
};

/** Frameworks give their classifiers a backbone and a head that takes next to nothing. */
function classifier(run: RunReader, type: string, backbone: string | null): string | null {
  if (type !== 'ImageClassifier' || backbone === null) return null;
  const stated = run.word(`${BACKBONE}.arch`) ?? '';
  const plain = stated.toLowerCase();
  const namer = ownOf(BACKBONES, backbone);
  return namer?.(ownOf(SIZES, plain) ?? plain, run) ?? null;
}
