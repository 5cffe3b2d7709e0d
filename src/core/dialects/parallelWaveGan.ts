import { builtIn } from './defined/compile';
import file from './parallelWaveGan.yaml';
import type { Dialect } from './dialect';
import { effectiveOfMicro } from './shared/toolkit';

/** ParallelWaveGAN's recipes; sources are files of kan-bayashi/ParallelWaveGAN 8674037. */
export const parallelWaveGan: Dialect = builtIn(file, {
  quantities: {
    effectiveBatch: effectiveOfMicro,
  },
});
