import { builtIn } from './defined/compile';
import file from './yacsHrnet.yaml';
import type { Dialect } from './dialect';
import { autocastByPrecision } from './shared/lightning';
import { ampRow, items, pixels, rawRow } from './shared/vision';

const SOURCE = 'lib/config/default.py';

/** HRNet and the pose projects on it; sources are files of leoxiaobin/deep-high-resolution-net.pytorch 6f69e46. */
export const yacsHrnet: Dialect = builtIn(file, {
  quantities: {
    task: run =>
      run.has('MODEL.HEATMAP_SIZE') ? run.at('MODEL.HEATMAP_SIZE', 'pose') : run.unknown('No key says it.'),
    imageSize: { read: pixels('wh'), absent: { value: [256, 256], source: SOURCE } },
    precision: ampRow('AMP.ENABLED', false, 'tools/train.py: fp32'),
    precisionRaw: rawRow('AMP.ENABLED'),
    devices: run => {
      const listed = items(run.value('GPUS'));
      if (listed === null) return run.unknown('GPUS lists no devices.');
      return run.at('GPUS', listed.length);
    },
    nodes: run =>
      run.has('GPUS') ? run.byCode(1, 'tools/train.py: one process') : run.unknown('GPUS is not set.'),
    strategy: run =>
      run.has('GPUS')
        ? run.byCode('DataParallel', 'tools/train.py L115')
        : run.unknown('Without GPUS the launcher decides.'),
  },
  details: {
    autocast: autocastByPrecision,
  },
});
