import type { ModelFacts } from '../../models/model';
import { companionsOf } from '../frameworks/behavior/companions';
import { stated } from '../facts';
import type { Beside, ImageShape } from '../run';
import { bytesPer } from '../tensor';
import type { Asker } from './asker';
import type { Numbers } from './numbers';
import { isInference } from './task';

/** What lies on the device beside the network of a diffusion pipeline, and for how long. */
export function besideOf(asker: Asker, model: ModelFacts, numbers: Numbers | null): readonly Beside[] {
  const { beside = [] } = model;
  if (beside.length === 0 || numbers === null || isInference(asker)) return [];
  const code = companionsOf(asker.run.framework);
  const precomputed = asker.detail('precomputed') ?? asker.assume(false, ENCODED_IN_STEP);
  if (precomputed && code.precomputed === 'never') return [];
  const compute = numbers.autocast ?? numbers.weightDtype;
  const pixels = precomputed ? null : pixelsOf(asker, model);
  return beside.map(({ name, kind, parameters, encoder }) => {
    const dtype = code.dtype[kind] === 'fp32' ? 'fp32' : compute;
    const encodes = encoder && pixels ? { shape: encoder, pixels } : null;
    return { name, dtype, parameters, bytes: parameters * bytesPer(dtype), dropped: precomputed, encodes };
  });
}

/** The images that an autoencoder is given; null: they are videos, or nobody knows how large they are. */
function pixelsOf(asker: Asker, model: ModelFacts): ImageShape | null {
  const own = stated(model, 'image_size', 0);
  const [width, height] = asker.value('imageSize') ?? [own, own];
  return width > 0 && asker.detail('frames') === null ? { channels: COLOURS, width, height } : null;
}

const COLOURS = 3;

const ENCODED_IN_STEP =
  'texts and images are encoded in each step: text encoder and autoencoder stay on the device';
