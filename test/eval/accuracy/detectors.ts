import { detectorModel } from '../../../src/core/models/detectors';
import { segmenterModel } from '../../../src/core/models/segmenters';
import type { ModelFacts } from '../../../src/core/models/model';

/** Tables in model zoos describe rows in words; their configs have these names. */
const KINDS: readonly (readonly [RegExp, string])[] = [
  [/\/ Fast R-CNN/, 'fast_rcnn'],
  [/\/ RPN /, 'rpn'],
  [/Faster R-CNN/, 'faster_rcnn'],
  [/Cascade/, 'cascade_mask_rcnn'],
  [/Mask R-CNN|Instance Segmentation|Other Settings|, Cityscapes/, 'mask_rcnn'],
  [/Keypoint/, 'keypoint_rcnn'],
  [/Panoptic/, 'panoptic_fpn'],
  [/, VOC/, 'faster_rcnn'],
  [/RetinaNet/, 'retinanet'],
];

/** A row's variants besides its kind and backbone, with the suffix of its config's name. */
const VARIANTS: readonly (readonly [RegExp, string])[] = [
  [/ GN\b/, '_gn'],
  [/SyncBN/, '_syncbn'],
  [/, Cityscapes/, '_cityscapes'],
  [/, VOC/, '_voc'],
  [/^LVIS/, '_lvis'],
  // The only panoptic demo model: panoptic_fpn_R_101_dconv_cascade_gn_3x.
  [/TTA results \/ Panoptic/, '_dconv_cascade_gn'],
];

const BACKBONE = /\b([RX])(50|101|152)(?:-(\d+)x(\d+)d)?(-caffe)?(?:-(C4|DC5|FPN))?/;

/** Letters, groups and width of an aggregated ResNet, as in config names. */
function widthIn(letter: string, groups: string | undefined, width: string | undefined): string {
  return groups && width ? `_${groups}x${width}d` : letter === 'X' ? '_32x8d' : '';
}

/** `Mask R-CNN Swin-T ms-crop 3x fp16` */
function swinIn(words: string, kind: string): ModelFacts | null {
  const [, size = '', rest = ''] = /Swin-([TSB])(.*)$/.exec(words) ?? [];
  return detectorModel(`${kind}_swin-${size}-p4-w7_fpn${rest.replaceAll(' ', '_')}_coco`);
}

const isUnnamed = (words: string, found: RegExpExecArray | null): boolean =>
  words.includes('X152') || (found === null && !words.startsWith('Other'));

const variantIn = (words: string): string => VARIANTS.find(([pattern]) => pattern.test(words))?.[1] ?? '';

/** `Faster R-CNN: / R50-C4`, `Other Settings / Cascade R-CNN` (over R50-FPN), `Faster R-CNN X101-32x4d`. */
export function detectorIn(words: string, isDetectron: boolean): ModelFacts | null {
  const kind = KINDS.find(([pattern]) => pattern.test(words))?.[1];
  if (kind !== undefined && words.includes('Swin-')) return swinIn(words, kind);
  const found = BACKBONE.exec(words);
  // For X152, images, crops and heads differ (cascade_mask_rcnn_X_152_32x8d_FPN_IN5k_gn_dconv).
  if (kind === undefined || isUnnamed(words, found)) return null;
  const [, letter = 'R', depth = '50', groups, width, caffe = '', neck = 'FPN'] = found ?? [];
  const end = `${widthIn(letter, groups, width)}${caffe}_${neck}${variantIn(words)}`;
  const start = words.includes('from scratch') ? `scratch_${kind}` : kind;
  const name = isDetectron
    ? `${start}_${letter}_${depth}${end}`
    : `${kind.replaceAll('_', '-')}_${letter.toLowerCase()}${depth}${end.toLowerCase()}`;
  return detectorModel(name);
}

/** `UPerNet DeiT-S+LN+MLN` over `512x512 crop, ADE20K`, as the config is named. */
export function segmenterIn(words: string, layout: string | null): ModelFacts | null {
  const [, head, backbone, parts = ''] = /^(UPerNet) ((?:ViT|DeiT)-[SB])((?:\+M?LN)*)$/.exec(words) ?? [];
  const [size = ''] = /\d+x\d+/.exec(layout ?? '') ?? [];
  const dataset = /ADE20K|Cityscapes/.exec(layout ?? '')?.[0] ?? '';
  return head
    ? segmenterModel(`${head}_${backbone}16${parts.replaceAll('+', '_')}_${size}_${dataset}`)
    : null;
}
