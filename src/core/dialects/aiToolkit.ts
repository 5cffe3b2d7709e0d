import { builtIn } from './defined/compile';
import file from './aiToolkit.yaml';
import type { Quantity } from '../spec/quantity';
import type { Dialect } from './dialect';
import type { RunReader } from './engine/runReader';
import { largestSquare } from './shared/vision';
import type { Size } from './shared/vision';

/** The largest bucket of all datasets. */
function imageSize(run: RunReader): Quantity<Size> {
  const list = run.value('config.process[0].datasets');
  const sets = Array.isArray(list) ? list.map((_, i) => `config.process[0].datasets[${i}].resolution`) : [];
  const stated = sets.filter(one => run.has(one));
  const sizes = stated.flatMap(one => {
    const size = run.read(one, largestSquare);
    return size === null ? [] : [{ one, size }];
  });
  const [largest] = sizes.sort((a, b) => b.size[0] - a.size[0]);
  return largest
    ? run.at(largest.one, largest.size)
    : run.byDefault([512, 512], 'toolkit/config_modules.py: resolution is 512');
}

/** ai-toolkit; sources are lines of ostris/ai-toolkit 27a03a9. */
export const aiToolkit: Dialect = builtIn(file, { quantities: { imageSize } });
