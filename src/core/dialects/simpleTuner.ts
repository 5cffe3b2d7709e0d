import { builtIn } from './defined/compile';
import file from './simpleTuner.yaml';
import type { Dialect } from './dialect';
import { imageSize, model, writeSize } from './simpleTuner/rules';

/** SimpleTuner's config.json; sources are files of bghira/SimpleTuner bc8e6ab (4.8). */
export const simpleTuner: Dialect = builtIn(file, {
  quantities: { model, imageSize },
  writers: { imageSize: writeSize },
});
