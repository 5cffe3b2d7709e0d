import type { DecoderSizes, ModelFacts, PipelinePart } from '../../models/model';
import { stated } from '../configValues';
import type { Dtypes, OtherNetwork, PipelineRun, ValidationPicture } from '../run';
import { bytesPer } from '../tensor';
import type { RunQuestions } from './questions';
import { isInference } from './task';

const SCALE = 8;

/** True for a pipeline that makes pictures: the model is its denoiser. */
export const makesPictures = (questions: RunQuestions, { kind }: ModelFacts): boolean =>
  kind === 'diffusion' && questions.value('task') === 'infer';

/** Pixels of the largest pictures that a pipeline makes; null: unknown. */
export function pictureSize(
  questions: RunQuestions,
  { pipeline }: ModelFacts,
): readonly [number, number] | null {
  const called = questions.value('imageSize');
  if (!pipeline || questions.detail('defaultSize') !== true) return called;
  const { side } = pipeline;
  const size = [Math.max(side, called?.[0] ?? 0), Math.max(side, called?.[1] ?? 0)] as const;
  return questions.assume(size, `pictures of ${side} × ${side} pixels where a call has no size`);
}

/** Rows that a denoiser computes for a picture: with guidance also one without the prompt, in models that batch them. */
export function guidedRows(questions: RunQuestions, { kind, pipeline }: ModelFacts): number {
  if (kind !== 'diffusion' || !isInference(questions) || pipeline?.guided !== true) return 1;
  const guidance =
    questions.detail('guidance') ?? questions.assume(true, 'guided by the prompt and without it');
  return guidance ? 2 : 1;
}

/** The parts of a pipeline around its denoiser; absent: the run is another one, or lacks what is noted. */
export function pipelineOf(
  questions: RunQuestions,
  model: ModelFacts,
  numbers: Dtypes,
): { readonly pipeline?: PipelineRun } {
  if (!makesPictures(questions, model)) return {};
  const isOffloaded = isWaiting(questions);
  const parts = partsOf(model, numbers);
  if (!parts) {
    questions.lack(`the text encoders and the autoencoder of ${model.id}`);
    return {};
  }
  const size = pictureSize(questions, model);
  if (size === null) return {};
  questions.assume(null, 'what text encoders keep while they compute is not counted');
  const { encoders, ...others } = parts;
  return {
    pipeline: {
      ...others,
      encoderBytes: isOffloaded ? Math.max(0, ...encoders) : sum(encoders),
      isOffloaded,
      isSliced: questions.detail('slicedDecoding') === true,
      latents: latentsOf(questions, model, size, others.decoder),
    },
  };
}

const sum = (all: readonly number[]): number => all.reduce((total, one) => total + one, 0);

/** The parts of a pipeline with their bytes; null: the model's are not known. */
function partsOf({ pipeline }: ModelFacts, { weightDtype }: Pick<Dtypes, 'weightDtype'>) {
  const [autoencoder] =
    pipeline?.parts.flatMap(part => (part.decoder ? [{ ...part, decoder: part.decoder }] : [])) ?? [];
  if (!pipeline || !autoencoder) return null;
  const each = bytesPer(weightDtype);
  const decodesIn = autoencoder.decoder.upcasts === true && weightDtype === 'fp16' ? 'fp32' : weightDtype;
  const isBefore = ({ decoder }: PipelinePart): boolean => decoder === null;
  return {
    encoders: pipeline.parts.filter(isBefore).map(part => part.parameters * each),
    autoencoderBytes: autoencoder.parameters * each,
    decoder: autoencoder.decoder,
    decodesIn,
    widenedBytes: autoencoder.parameters * (bytesPer(decodesIn) - each),
  };
}

/**
 * The picture that diffusers' example scripts make of `validation_prompt`, one after the other, at the pipeline's own
 * size: parts that training does without are loaded for it (log_validation of train_dreambooth_lora_sdxl.py).
 */
export function validationPicture(
  questions: RunQuestions,
  model: ModelFacts,
  { numbers, others }: { readonly numbers: Dtypes; readonly others: readonly OtherNetwork[] },
): { readonly picture?: ValidationPicture } {
  const dtype = numbers.autocast ?? numbers.weightDtype;
  const parts = partsOf(model, { weightDtype: dtype });
  if (!parts || !model.pipeline || questions.detail('evaluates') !== true) return {};
  const { side, guided } = model.pipeline;
  const loaded = sum(parts.encoders) + parts.autoencoderBytes - sum(others.map(({ bytes }) => bytes));
  const latents = latentsOf(questions, model, [side, side], parts.decoder);
  const { channels, width, height } = latents;
  return {
    picture: {
      pipeline: {
        ...parts,
        encoderBytes: Math.max(0, loaded),
        isOffloaded: false,
        isSliced: true,
        latents: { ...latents, batch: 1 },
      },
      rows: guided ? 2 : 1,
      image: { channels, width, height },
    },
  };
}

/** True if parts wait on the host while others compute; notes what is not known of a pipeline. */
function isWaiting(questions: RunQuestions): boolean {
  const replaced = questions.detail('replacedParts');
  if (replaced !== null) questions.lack(`the memory of the ${replaced} that the program gives the pipeline`);
  const waits = questions.detail('partsOffloaded') ?? 'none';
  if (questions.run.details.partsOffloaded?.origin.kind === 'unresolved') {
    questions.lack('whether parts of the pipeline wait on the host');
  } else if (waits !== 'none' && waits !== 'model') questions.lack('memory with layers moved one by one');
  return waits !== 'none';
}

/**
 * The latents that the decoder gets at once: of all pictures, of one, or of a tile (AutoencoderKL: tile_sample_min_size
 * is the config's sample_size, and a picture of that size is not cut).
 */
function latentsOf(
  questions: RunQuestions,
  model: ModelFacts,
  [width, height]: readonly [number, number],
  { tile = Infinity }: DecoderSizes,
): PipelineRun['latents'] {
  const tiled = questions.detail('tiledDecoding') === true;
  const sliced = questions.detail('slicedDecoding') === true;
  const side = (pixels: number): number => Math.ceil((tiled ? Math.min(pixels, tile) : pixels) / SCALE);
  return {
    batch: sliced ? 1 : (questions.value('microBatchSize') ?? 1),
    channels: stated(model, 'latent_channels', 4),
    width: side(width),
    height: side(height),
  };
}
