import { builtIn } from './defined/compile';
import file from './vissl.yaml';
import type { Dialect } from './dialect';
import { word } from './engine/readers';
import { autocastByPrecision } from './shared/lightning';
import { ampRow, rawRow } from './shared/vision';

const SOURCE = 'vissl/config/defaults.yaml';

/** VISSL; sources are lines of facebookresearch/vissl 09270ed. */
export const vissl: Dialect = builtIn(file, {
  quantities: {
    task: run => {
      const loss = run.word('config.LOSS.name');
      return loss === null
        ? run.unknown('config.LOSS.name is not set.')
        : run.at('config.LOSS.name', loss.startsWith('cross_entropy') ? 'image_classification' : 'ssl');
    },
    imageSize: run => {
      const list = run.value('config.DATA.TRAIN.TRANSFORMS');
      const steps = Array.isArray(list) ? (list as readonly unknown[]) : [];
      const sizes = steps.flatMap(step =>
        typeof step === 'object' && step !== null && 'size' in step ? [step.size] : [],
      );
      const size = sizes.find(one => typeof one === 'number');
      return typeof size === 'number'
        ? run.at('config.DATA.TRAIN.TRANSFORMS', [size, size] as const)
        : run.unknown('No transform says the size.');
    },
    precision: ampRow('config.MODEL.AMP_PARAMS.USE_AMP', false, `${SOURCE} L922`),
    precisionRaw: rawRow('config.MODEL.AMP_PARAMS.USE_AMP'),
    accelerator: { read: value => (value === 'gpu' ? { ok: 'cuda' } : word(value)) },
  },
  details: {
    autocast: autocastByPrecision,
  },
});
