import { builtIn } from './defined/compile';
import file from './vjepa.yaml';
import type { Dialect } from './dialect';
import { autocastByPrecision } from './shared/lightning';
import { items, mixedWord, pixels, rawRow } from './shared/vision';

/** V-JEPA 2; sources are lines of facebookresearch/vjepa2 c2963a4. */
export const vjepa: Dialect = builtIn(file, {
  quantities: {
    imageSize: { read: pixels('hw') },
    precision: { read: mixedWord },
    precisionRaw: rawRow('meta.dtype'),
  },
  details: {
    autocast: autocastByPrecision,
    frames: run => {
      const frames = items(run.value('data.dataset_fpcs'))?.map(Number) ?? [];
      return frames.length === 0
        ? run.unknown('data.dataset_fpcs is not set.')
        : run.at('data.dataset_fpcs', Math.max(...frames));
    },
  },
});
