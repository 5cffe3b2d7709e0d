import { builtIn } from './defined/compile';
import file from './fuxictr.yaml';
import type { Dialect } from './dialect';
import { allOf } from './shared/profiles';
const PROFILE = 'Each experiment has its own, and --expid of the command line picks one.';

/**
 * FuxiCTR's model configs: one experiment per key, on top of `Base`; sources are files of reczoo/FuxiCTR 0245987.
 */
export const fuxictr: Dialect = builtIn(file, {
  quantities: {
    model: allOf('model', PROFILE),
  },
});
