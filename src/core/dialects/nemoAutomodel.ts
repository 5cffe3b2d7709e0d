import { builtIn } from './defined/compile';
import file from './nemoAutomodel.yaml';
import type { Dialect } from './dialect';
import { lora } from './nemoAutomodel/lora';
import { automodelOwnModel } from './nemoAutomodel/ownModel';

/** NeMo Automodel; sources are files of NVIDIA-NeMo/Automodel 36044ad (0.5.0). */
export const nemoAutomodel: Dialect = builtIn(file, { quantities: { lora }, ownModel: automodelOwnModel });
