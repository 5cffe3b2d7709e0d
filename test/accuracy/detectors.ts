import { detectorModel } from '../../src/core/models/detectors';
import type { ModelFacts } from '../../src/core/models/model';

/** Model zoos' tables name rows in words; their configs have these names. */
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

const BACKBONE = /\b([RX])(50|101|152)(?:-(\d+)x(\d+)d)?(-caffe)?(?:-(C4|DC5|FPN))?/;

/** `Faster R-CNN: / R50-C4`, `Other Settings / Cascade R-CNN` (over R50-FPN), `Faster R-CNN X101-32x4d`. */
export function detectorIn(words: string, isDetectron: boolean): ModelFacts | null {
  const kind = KINDS.find(([pattern]) => pattern.test(words))?.[1];
  const found = BACKBONE.exec(words);
  if (kind === undefined || (!found && !words.startsWith('Other'))) return null;
  const [, letter = 'R', depth = '50', groups, width, caffe = '', neck = 'FPN'] = found ?? [];
  const wide = groups && width ? `_${groups}x${width}d` : letter === 'X' ? '_32x8d' : '';
  const norm = words.endsWith(' GN') ? '_gn' : '';
  const end = `${wide}${caffe}_${neck}${norm}`;
  const name = isDetectron
    ? `${kind}_${letter}_${depth}${end}`
    : `${kind.replaceAll('_', '-')}_${letter.toLowerCase()}${depth}${end.toLowerCase()}`;
  return detectorModel(name);
}
