import type { ModelFacts } from '../../models/model';
import { companionsOf } from '../behaviours/companions';
import type { Beside } from '../run';
import { bytesPer } from '../tensor';
import type { Asker } from './asker';
import type { Numbers } from './numbers';
import { isInference } from './task';

/** What lies on the device beside the network of a diffusion pipeline, and for how long. */
export function besideOf(
  asker: Asker,
  { beside = [] }: ModelFacts,
  numbers: Numbers | null,
): readonly Beside[] {
  if (beside.length === 0 || numbers === null || isInference(asker)) return [];
  const code = companionsOf(asker.run.framework);
  const precomputed = asker.detail('precomputed') ?? asker.assume(false, ENCODED_IN_STEP);
  if (precomputed && code.precomputed === 'never') return [];
  const compute = numbers.autocast ?? numbers.weightDtype;
  return beside.map(({ name, kind, parameters }) => {
    const dtype = code.dtype[kind] === 'fp32' ? 'fp32' : compute;
    return { name, dtype, parameters, bytes: parameters * bytesPer(dtype), dropped: precomputed };
  });
}

const ENCODED_IN_STEP =
  'texts and images are encoded in each step: text encoder and autoencoder stay on the device';
