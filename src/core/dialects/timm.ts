import { builtIn } from './defined/compile';
import file from './timm.yaml';
import type { Quantity } from '../spec/quantity';
import type { Dialect } from './dialect';
import type { RunReader } from './engine/runReader';
import type { Size } from './shared/vision';

/** timm's model names contain the image size if it is not 224. */
function sizeByName(run: RunReader): Quantity<Size> {
  const name = run.get('model').value;
  if (name === null) return run.unknown('The model is not known.');
  const found = /_(\d{3,4})(?:$|[._])/.exec(name);
  const side = found ? Number(found[1]) : 224;
  return run.byDefault([side, side], 'timm: the model’s default_cfg, which its name tells');
}

/** timm's train.py, with its settings in a file; sources are lines of huggingface/pytorch-image-models aa4b585. */
export const timm: Dialect = builtIn(file, { quantities: { imageSize: { absent: sizeByName } } });
