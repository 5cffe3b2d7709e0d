import { detectorModel } from './detectors';
import type { ModelFacts } from './model';
import { segformerModel } from './segformers';
import { segmenterModel } from './segmenters';
import { timmModel } from './timm';
import { torchvisionModel } from './torchvision';
import { ultralyticsModel } from './ultralytics';

/** Microsoft's names of networks that torchvision has as well (microsoft/Swin-Transformer, configs/swin). */
const SAME: Readonly<Record<string, string>> = {
  swin_tiny_patch4_window7_224: 'swin_t',
  swin_small_patch4_window7_224: 'swin_s',
  swin_base_patch4_window7_224: 'swin_b',
};

/** A network of images that a library makes by that name: torchvision, timm, detectron2, mmdet, mmseg, Ultralytics; null for other names. */
export function imageModel(name: string): ModelFacts | null {
  const known = Object.hasOwn(SAME, name) ? (SAME[name] ?? name) : name;
  return (
    torchvisionModel(known) ??
    timmModel(name) ??
    detectorModel(name) ??
    segmenterModel(name) ??
    segformerModel(name) ??
    ultralyticsModel(name)
  );
}
