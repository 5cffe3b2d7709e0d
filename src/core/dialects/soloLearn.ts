import { builtIn } from './defined/compile';
import file from './soloLearn.yaml';
import type { Dialect } from './dialect';
import { lightningWriters } from './lightningCli';

/** vturrisi/solo-learn 9187ea3: Hydra around a Lightning Trainer, with its arguments at the root. */
export const soloLearn: Dialect = builtIn(file, { writers: lightningWriters('') });
