import { detectorModel } from './detectors';
import type { ModelFacts } from './model';
import { segmenterModel } from './segmenters';
import { timmModel } from './timm';
import { torchvisionModel } from './torchvision';

/** A network of images that a library makes by that name: torchvision, timm, detectron2, mmdet, mmseg; null for other names. */
export function imageModel(name: string): ModelFacts | null {
  return torchvisionModel(name) ?? timmModel(name) ?? detectorModel(name) ?? segmenterModel(name);
}
