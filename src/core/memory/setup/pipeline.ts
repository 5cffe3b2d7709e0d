import type { DecoderSizes, ModelFacts } from '../../models/model';
import { stated } from '../configValues';
import type { Dtypes, PipelineRun } from '../run';
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
  const { pipeline } = model;
  const isOffloaded = isWaiting(questions);
  const decoders = pipeline?.parts.flatMap(part =>
    part.decoder ? [{ ...part, decoder: part.decoder }] : [],
  );
  const [autoencoder] = decoders ?? [];
  if (!pipeline || !autoencoder) {
    questions.lack(`the text encoders and the autoencoder of ${model.id}`);
    return {};
  }
  const size = pictureSize(questions, model);
  if (size === null) return {};
  const each = bytesPer(numbers.weightDtype);
  const encoders = pipeline.parts
    .filter(({ decoder }) => decoder === null)
    .map(part => part.parameters * each);
  const isWidened = autoencoder.decoder.upcasts === true && numbers.weightDtype === 'fp16';
  const decodesIn = isWidened ? 'fp32' : numbers.weightDtype;
  questions.assume(null, 'what text encoders keep while they compute is not counted');
  return {
    pipeline: {
      encoderBytes: isOffloaded ? Math.max(0, ...encoders) : encoders.reduce((sum, bytes) => sum + bytes, 0),
      autoencoderBytes: autoencoder.parameters * each,
      isOffloaded,
      decoder: autoencoder.decoder,
      decodesIn,
      isSliced: questions.detail('slicedDecoding') === true,
      widenedBytes: autoencoder.parameters * (bytesPer(decodesIn) - each),
      latents: latentsOf(questions, model, size, autoencoder.decoder),
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
