import backbones from './backbones.py';
import mmBackbones from './mm_backbones.py';
import mmSections from './mm_sections.py';
import mmdetParts from './mmdet_parts.py';
import mmsegHeads from './mmseg_heads.py';
import monai from './monai.py';
import openmmlab from './openmmlab.py';
import segmentation_decoders from './segmentation_decoders.py';
import segmentation from './segmentation_models_pytorch.py';
import timm from './timm.py';
import torchvision from './torchvision.py';
import vision_transformers from './vision_transformers.py';

/** Networks of libraries in few lines of Python, by the first word of their modules: sizes alone, for the interpreter. */
export const LIBRARY_TEXTS: Readonly<Record<string, string>> = {
  backbones,
  mm_backbones: mmBackbones,
  mm_sections: mmSections,
  mmdet_parts: mmdetParts,
  mmseg_heads: mmsegHeads,
  monai,
  openmmlab,
  segmentation_decoders,
  segmentation_models_pytorch: segmentation,
  timm,
  torchvision,
  vision_transformers,
};

/** Modules that only descriptions import. */
export const INNER_MODULES: ReadonlySet<string> = new Set([
  'backbones',
  'mm_backbones',
  'mm_sections',
  'mmdet_parts',
  'mmseg_heads',
  'segmentation_decoders',
  'vision_transformers',
]);
