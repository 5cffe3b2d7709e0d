import backbones from './backbones.py';
import mmseg from './mmseg.py';
import monai from './monai.py';
import segmentation_decoders from './segmentation_decoders.py';
import segmentation from './segmentation_models_pytorch.py';
import timm from './timm.py';
import torchvision from './torchvision.py';
import vision_transformers from './vision_transformers.py';

/** Networks of libraries in few lines of Python, by the first word of their modules: sizes alone, for the interpreter. */
export const LIBRARY_TEXTS: Readonly<Record<string, string>> = {
  backbones,
  mmseg,
  monai,
  segmentation_decoders,
  segmentation_models_pytorch: segmentation,
  timm,
  torchvision,
  vision_transformers,
};

/** Modules that only descriptions import. */
export const INNER_MODULES: ReadonlySet<string> = new Set([
  'backbones',
  'segmentation_decoders',
  'vision_transformers',
]);
