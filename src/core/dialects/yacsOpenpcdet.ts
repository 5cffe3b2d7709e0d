import { builtIn } from './defined/compile';
import file from './yacsOpenpcdet.yaml';
import type { Dialect } from './dialect';
import { withBases } from './engine/bases';
import { autocastByPrecision } from './shared/lightning';
import { ampRow, rawRow } from './shared/vision';

/** OpenPCDet; sources are files of open-mmlab/OpenPCDet 8cacccc. */
export const yacsOpenpcdet: Dialect = builtIn(file, {
  quantities: {
    precision: ampRow('OPTIMIZATION.USE_AMP', false, 'tools/train.py: --use_amp'),
    precisionRaw: rawRow('OPTIMIZATION.USE_AMP'),
  },
  details: {
    autocast: autocastByPrecision,
  },
  compose: withBases({ keys: ['DATA_CONFIG._BASE_CONFIG_'] }),
});
