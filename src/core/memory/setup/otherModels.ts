import type { Companion, DecoderSizes, ModelFacts } from '../../models/model';
import { known, NONE, UNKNOWN } from '../../spec/maybe';
import type { Maybe } from '../../spec/maybe';
import { stated } from '../configValues';
import type { ImageShape, OtherNetwork } from '../run';
import { bytesPer } from '../tensor';
import type { RunQuestions } from './questions';
import type { Dtypes } from '../run';
import { isInference } from './task';
import { countInName } from '../../models/supposed';
import type { OtherModel } from '../../spec/values';
import { phrase } from '../../text/say';

/** Networks on the device other than the trained one. */
export const otherNetworksOf = (
  questions: RunQuestions,
  model: ModelFacts,
  numbers: Dtypes,
): readonly OtherNetwork[] => [
  ...companionNetworksOf(questions, model, numbers),
  ...helpersOf(questions, model, numbers),
];

/** Other networks of a denoiser's pipeline on the device; none if texts and images were encoded before. */
function companionNetworksOf(
  questions: RunQuestions,
  model: ModelFacts,
  numbers: Dtypes,
): readonly OtherNetwork[] {
  const companions = companionsOf(model);
  if (companions.length === 0 || isInference(questions)) return [];
  const precomputed = questions.detail('precomputed') ?? questions.assume(false, ENCODED_IN_STEP);
  if (precomputed) return [];
  const usual = numbers.autocast ?? numbers.weightDtype;
  const pixels = pixelsOf(questions, model);
  const isNeeded = ({ kind }: Companion): boolean =>
    kind !== 'text encoder' || questions.detail('textsPrecomputed') !== true;
  return companions.filter(isNeeded).map(({ name, parameters, encoder, upcasts }) => {
    const dtype = upcasts === true ? 'fp32' : usual;
    const encodes = encodesOf(encoder, pixels);
    return { name, dtype, parameters, bytes: parameters * bytesPer(dtype), encodes };
  });
}

/** The networks of a model's pipeline that training needs: all but the checker of finished pictures. */
function companionsOf(model: ModelFacts): readonly Companion[] {
  const { companions = [], pipeline } = model;
  if (companions.length > 0 || !pipeline) return companions;
  return pipeline.parts.flatMap(({ name, kind, parameters, decoder }) => {
    if (kind === 'image classifier') return [];
    return [{ name, kind, parameters, ...(decoder && encoderFacts(model, decoder)) }];
  });
}

/** The encoder mirrors its decoder with a layer less per level, and ends in means and variances (AutoencoderKL). */
function encoderFacts(
  model: ModelFacts,
  { widths, layers, upcasts }: DecoderSizes,
): Pick<Companion, 'encoder' | 'upcasts'> {
  const latents = 2 * stated(model, 'latent_channels', stated(model, 'in_channels', 4));
  return { encoder: { widths, layers: layers - 1, latents }, ...(upcasts === true && { upcasts }) };
}

/** The images that an autoencoder encodes; none for a text encoder. */
function encodesOf(shape: Companion['encoder'], pixels: Maybe<ImageShape>): OtherNetwork['encodes'] {
  if (shape === undefined || pixels.kind === 'none') return NONE;
  return pixels.kind === 'known' ? known({ shape, pixels: pixels.value }) : UNKNOWN;
}

/** The size of an autoencoder's images; none if it gets videos. */
function pixelsOf(questions: RunQuestions, model: ModelFacts): Maybe<ImageShape> {
  if (questions.detail('frames') !== null) return NONE;
  const own = stated(model, 'image_size', 0);
  const [width, height] = questions.value('imageSize') ?? [own, own];
  return width > 0 ? known({ channels: COLORS, width, height }) : UNKNOWN;
}

const COLORS = 3;

const ENCODED_IN_STEP = phrase`texts and images are encoded in each step: text encoder and autoencoder stay on the device`;

/** Weights of teachers and reward models. The memory of their passes is freed afterwards. */
function helpersOf(questions: RunQuestions, model: ModelFacts, numbers: Dtypes): readonly OtherNetwork[] {
  const others = questions.detail('otherModels') ?? [];
  if (others.length === 0) return [];
  const ranks = questions.value('zeroStage') === 3 || questions.value('fsdp') !== null;
  if (ranks) questions.lack('how ranks share the models other than the trained one');
  const dtype = numbers.weightDtype;
  return others.flatMap(other => {
    const parameters = sizeOf(questions, other, model);
    if (parameters === null) return [];
    const bytes = parameters * bytesPer(dtype);
    return [{ name: other.role, dtype, parameters, bytes, encodes: NONE }];
  });
}

function sizeOf(
  questions: RunQuestions,
  { role, model: name }: OtherModel,
  model: ModelFacts,
): number | null {
  const same = model.parameters?.total ?? null;
  const count = name === null ? null : countInName(name);
  if (count !== null) return questions.assume(count, `the ${role} has the size in its name`);
  if (same === null || role === 'teacher') {
    return questions.lack(`the size of the ${role}${name === null ? '' : ` ${name}`}`);
  }
  return questions.assume(same, `the ${role} model is as large as the trained one`);
}
