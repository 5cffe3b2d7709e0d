import { builtIn } from './defined/compile';
import file from './torchtitan.yaml';
import type { Dialect } from './dialect';
import { model } from './torchtitan/model';

/** torchtitan's job config; sources are files of pytorch/torchtitan 73a0e69 (0.2.2). */
export const torchtitan: Dialect = builtIn(file, { quantities: { model } });
