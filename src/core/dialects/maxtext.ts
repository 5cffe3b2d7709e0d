import { builtIn } from './defined/compile';
import file from './maxtext.yaml';
import type { Dialect } from './dialect';
import { maxtextModel } from './maxtext/ownModel';

/** MaxText, on JAX; sources are files of AI-Hypercomputer/maxtext e591f30. */
export const maxtext: Dialect = builtIn(file, { ownModel: maxtextModel });
