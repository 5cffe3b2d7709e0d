import { builtIn } from './defined/compile';
import file from './nanotron.yaml';
import type { Dialect } from './dialect';
import { model, nanotronModel } from './nanotron/ownModel';

/** nanotron; sources are files of huggingface/nanotron 2411b02. */
export const nanotron: Dialect = builtIn(file, { quantities: { model }, ownModel: nanotronModel });
