import { builtIn } from './defined/compile';
import file from './mmf.yaml';
import type { Dialect } from './dialect';
import { autocastByPrecision } from './shared/lightning';
import { ampRow, rawRow, shareOf, writesGlobal } from './shared/vision';

const SOURCE = 'mmf/configs/defaults.yaml';

/** MMF; sources are lines of facebookresearch/mmf b0ffc7f. */
export const mmf: Dialect = builtIn(file, {
  quantities: {
    // utils/general.py L285-308: batch_size is for all GPUs, batch_size_per_device overrides it.
    globalBatchSize: run => {
      if (run.has('training.batch_size_per_device')) {
        return run.unknown('training.batch_size_per_device is set.');
      }
      const total = run.count('training.batch_size');
      return total === null ? run.byDefault(512, `${SOURCE} L77`) : run.at('training.batch_size', total);
    },
    microBatchSize: run => {
      const each = run.count('training.batch_size_per_device');
      return each === null ? shareOf(run) : run.at('training.batch_size_per_device', each);
    },
    effectiveBatch: run => {
      const total = run.get('globalBatchSize').value;
      const steps = run.get('gradAccum').value ?? 1;
      return total === null
        ? run.unknown('The number of GPUs is not in the files.')
        : run.derived(total * steps, ['globalBatchSize', 'gradAccum'], `${total} × ${steps}`);
    },
    precision: ampRow('training.fp16', false, SOURCE),
    precisionRaw: rawRow('training.fp16'),
  },
  details: {
    autocast: autocastByPrecision,
  },
  writers: writesGlobal('training.batch_size'),
});
