import { builtIn } from './defined/compile';
import file from './vissl.yaml';
import type { Dialect } from './dialect';

/** VISSL; sources are lines of facebookresearch/vissl 09270ed. */
export const vissl: Dialect = builtIn(file, {
  quantities: {
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
  },
});
