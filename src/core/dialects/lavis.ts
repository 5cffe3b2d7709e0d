import { builtIn } from './defined/compile';
import file from './lavis.yaml';
import type { Quantity } from '../spec/quantity';
import type { Dialect } from './dialect';
import type { RunReader } from './engine/runReader';
import { autocastByPrecision } from './shared/lightning';
import { ampRow, pixels, rawRow } from './shared/vision';
import type { Size } from './shared/vision';

const SOURCE = 'lavis/runners/runner_base.py';

/** The image size of the first training processor. */
function imageSize(run: RunReader): Quantity<Size> {
  const own = run.read('model.image_size', pixels('hw'));
  if (own !== null) return run.at('model.image_size', own);
  const sets = run.value('datasets');
  if (typeof sets !== 'object' || sets === null || Array.isArray(sets)) {
    return run.unknown('No dataset is named.');
  }
  const keys = Object.keys(sets).map(name => `datasets.${name}.vis_processor.train.image_size`);
  const key = keys.find(one => run.has(one));
  const size = key === undefined ? null : run.read(key, pixels('hw'));
  return key === undefined || size === null ? run.unknown('No processor says the size.') : run.at(key, size);
}

const evaluates = (run: RunReader): boolean => run.flag('run.evaluate') === true;

/** LAVIS; sources are lines of salesforce/LAVIS 506965b. */
export const lavis: Dialect = builtIn(file, {
  quantities: {
    task: run => {
      if (evaluates(run)) return run.at('run.evaluate', 'infer');
      const task = run.word('run.task');
      return task === null ? run.unknown('run.task is not set.') : run.at('run.task', task);
    },
    imageSize,
    precision: ampRow('run.amp', false, `${SOURCE}: amp`),
    precisionRaw: rawRow('run.amp'),
  },
  details: {
    autocast: autocastByPrecision,
  },
});
