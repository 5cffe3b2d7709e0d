import { builtIn } from './defined/compile';
import file from './lingua.yaml';
import type { Dialect } from './dialect';
import { linguaModel } from './lingua/ownModel';

/** lingua's apps; sources are files of facebookresearch/lingua 437d680. */
export const lingua: Dialect = builtIn(file, { ownModel: linguaModel });
