import { builtIn } from './defined/compile';
import file from './yacsSwin.yaml';
import type { Dialect } from './dialect';
import { withBases } from './engine/bases';
import { autocastByPrecision } from './shared/lightning';
import { ampRow, pixels, rawRow } from './shared/vision';

const SOURCE = 'config.py';

/** Swin Transformer's training and its many forks; sources are lines of microsoft/Swin-Transformer f82860b. */
export const yacsSwin: Dialect = builtIn(file, {
  quantities: {
    imageSize: { read: pixels('hw'), absent: { value: [224, 224], source: SOURCE } },
    precision: ampRow('AMP_ENABLE', true, `${SOURCE}: AMP_ENABLE is True`),
    precisionRaw: rawRow('AMP_ENABLE'),
  },
  details: {
    autocast: autocastByPrecision,
  },
  compose: withBases({ keys: ['BASE'] }),
});
