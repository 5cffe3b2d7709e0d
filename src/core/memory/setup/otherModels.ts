import type { Companion, ModelFacts } from '../../models/model';
import { known, NONE, UNKNOWN } from '../../spec/maybe';
import type { Maybe } from '../../spec/maybe';
import { stated } from '../facts';
import type { ImageShape, OtherNetwork } from '../run';
import { bytesPer } from '../tensor';
import type { RunQuestions } from './questions';
import type { Dtypes } from './numbers';
import { isInference } from './task';
import { countInName } from '../../models/supposed';
import type { OtherModel } from '../../spec/values';

/** Networks on the device that are not the trained one. */
export const otherNetworksOf = (
  asker: RunQuestions,
  model: ModelFacts,
  numbers: Dtypes,
): readonly OtherNetwork[] => [
  ...companionNetworksOf(asker, model, numbers),
  ...helpersOf(asker, model, numbers),
];

/** What the pipeline of a denoiser has on the device in addition to it; nothing where texts and images were encoded before. */
function companionNetworksOf(
  asker: RunQuestions,
  model: ModelFacts,
  numbers: Dtypes,
): readonly OtherNetwork[] {
  const { beside = [] } = model;
  if (beside.length === 0 || isInference(asker)) return [];
  const precomputed = asker.detail('precomputed') ?? asker.assume(false, ENCODED_IN_STEP);
  if (precomputed) return [];
  const dtype = numbers.autocast ?? numbers.weightDtype;
  const pixels = pixelsOf(asker, model);
  return beside.map(({ name, parameters, encoder }) => {
    const encodes = encodesOf(encoder, pixels);
    return { name, dtype, parameters, bytes: parameters * bytesPer(dtype), encodes };
  });
}

/** What an autoencoder encodes; a text encoder has no encoder of images. */
function encodesOf(shape: Companion['encoder'], pixels: Maybe<ImageShape>): OtherNetwork['encodes'] {
  if (shape === undefined || pixels.kind === 'none') return NONE;
  return pixels.kind === 'known' ? known({ shape, pixels: pixels.value }) : UNKNOWN;
}

/** The images that an autoencoder is given: none where it is given videos. */
function pixelsOf(asker: RunQuestions, model: ModelFacts): Maybe<ImageShape> {
  if (asker.detail('frames') !== null) return NONE;
  const own = stated(model, 'image_size', 0);
  const [width, height] = asker.value('imageSize') ?? [own, own];
  return width > 0 ? known({ channels: COLOURS, width, height }) : UNKNOWN;
}

const COLOURS = 3;

const ENCODED_IN_STEP =
  'texts and images are encoded in each step: text encoder and autoencoder stay on the device';

/** Teachers and reward models: their weights. What their passes take is gone when they are over. */
function helpersOf(asker: RunQuestions, model: ModelFacts, numbers: Dtypes): readonly OtherNetwork[] {
  const others = asker.detail('otherModels') ?? [];
  if (others.length === 0) return [];
  const ranks = asker.value('zeroStage') === 3 || asker.value('fsdp') !== null;
  if (ranks) asker.lack('how ranks share the models beside the trained one');
  const dtype = numbers.weightDtype;
  return others.flatMap(other => {
    const parameters = sizeOf(asker, other, model);
    if (parameters === null) return [];
    const bytes = parameters * bytesPer(dtype);
    return [{ name: other.role, dtype, parameters, bytes, encodes: NONE }];
  });
}

function sizeOf(asker: RunQuestions, { role, model: name }: OtherModel, model: ModelFacts): number | null {
  const same = model.parameters?.total ?? null;
  const count = name === null ? null : countInName(name);
  if (count !== null) return asker.assume(count, `the ${role} has the size in its name`);
  if (same === null || role === 'teacher') {
    return asker.lack(`the size of the ${role}${name === null ? '' : ` ${name}`}`);
  }
  return asker.assume(same, `the ${role} model is as large as the trained one`);
}
