import { builtIn } from './defined/compile';
import file from './lavis.yaml';
import type { Quantity } from '../spec/quantity';
import type { Dialect } from './dialect';
import type { RunReader } from './engine/runReader';
import { pixels } from './shared/vision';
import type { Size } from './shared/vision';

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

/** LAVIS; sources are lines of salesforce/LAVIS 506965b. */
export const lavis: Dialect = builtIn(file, { quantities: { imageSize } });
