import { builtIn } from './defined/compile';
import file from './asteroid.yaml';
import type { Dialect } from './dialect';
import { effectiveOfMicro } from './shared/toolkit';

/** Recipes of Asteroid; sources are files of asteroid-team/asteroid 92c8d83. */
export const asteroid: Dialect = builtIn(file, {
  quantities: {
    effectiveBatch: effectiveOfMicro,
  },
});
