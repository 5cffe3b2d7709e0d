import { builtIn } from './defined/compile';
import file from './yacsReid.yaml';
import type { Dialect } from './dialect';
import { withBases } from './engine/bases';
import type { RunReader } from './engine/runReader';
import { autocastByPrecision } from './shared/lightning';
import { pixels, rawRow, shareOf, writesGlobal } from './shared/vision';

/** JDAI-CV/fast-reid c9bc3ce (fastreid/config/defaults.py) and damo-cv/TransReID dec5504, which grew from the same. */
const SOURCE = 'fastreid/config/defaults.py';

const isTransReid = (run: RunReader): boolean =>
  run.has('MODEL.DEVICE_ID') || run.has('MODEL.TRANSFORMER_TYPE') || run.has('SOLVER.OPTIMIZER_NAME');

/** Re-identification on Detectron2's words, with a size of its own. */
export const yacsReid: Dialect = builtIn(file, {
  quantities: {
    microBatchSize: shareOf,
    imageSize: { read: pixels('hw'), absent: { value: [128, 256], source: SOURCE } },
    precision: run => {
      const on = run.flag('SOLVER.AMP.ENABLED');
      if (on !== null) return run.at('SOLVER.AMP.ENABLED', on ? 'fp16-mixed' : 'fp32');
      return isTransReid(run)
        ? run.byCode('fp16-mixed', 'processor/processor.py: autocast, always')
        : run.byDefault('fp32', `${SOURCE}: SOLVER.AMP.ENABLED is False`);
    },
    precisionRaw: rawRow('SOLVER.AMP.ENABLED'),
  },
  details: {
    autocast: autocastByPrecision,
  },
  writers: writesGlobal('SOLVER.IMS_PER_BATCH'),
  compose: withBases({ keys: ['_BASE_'] }),
});
