import { builtIn } from './defined/compile';
import file from './levanter.yaml';
import type { Dialect } from './dialect';
import { levanterModel } from './levanter/ownModel';

/** levanter, on JAX; sources are files of stanford-crfm/levanter 9263f81. */
export const levanter: Dialect = builtIn(file, { ownModel: levanterModel });
