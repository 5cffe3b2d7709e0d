import { towerOf } from '../../models/languageModel';
import type { ModelFacts } from '../../models/model';
import type { ContrastiveSettings, Head } from '../../spec/values';
import type { Architecture, LatentShape } from '../architecture';
import type { Batch, Contrast, ImageShape } from '../run';
import type { RunQuestions } from './questions';
import { stated } from '../configValues';
import { UNCUT } from '../words';
import { guidedRows, makesPictures, pictureSize } from './pipeline';
import { comparesEmbeddings, isInference } from './task';
import { known, NONE, UNKNOWN } from '../../spec/maybe';
import type { Maybe } from '../../spec/maybe';

/** Rows of one forward pass on one device, and the tokens generated after it. */
export interface BatchShape extends Omit<Batch, 'picturePixels'> {
  /** Tokens after the prompt. */
  readonly generated: number;
}

/** The inputs that decide the content of a row. */
interface RowsOf {
  readonly architecture: Architecture;
  readonly model: ModelFacts;
  readonly head: Head;
}

/** Batches by length (tokens, frames, seconds of audio) do not state a number of rows. */
function samplesOf(questions: RunQuestions): number | null {
  const { unit = 'samples' } = questions.run.quantities.microBatchSize;
  const rows = questions.needed('microBatchSize', 'the micro batch size');
  if (rows === null || unit === 'samples' || unit === 'sentences') return rows;
  questions.lack(`the rows of a batch that counts ${unit}`);
  return null;
}

/** True if rows need a mask: as the dialect says, else unless they are packed. */
function paddedRows(questions: RunQuestions): boolean {
  const stated = questions.detail('paddedRows');
  if (stated !== null) return stated;
  if (questions.value('packing') === true) return false;
  return questions.assume(true, 'rows differ in length and are padded to the sequence length');
}

/** Pixels of the image in each row; none without a vision tower. */
export function pixelsPerRow(questions: RunQuestions, model: ModelFacts): Maybe<number> {
  if (towerOf(model) === null) return NONE;
  const pixels = questions.detail('picturePixels');
  return pixels === null ? UNKNOWN : known(pixels);
}

/** FlashAttention removes padding instead of masking it. */
export function unpads(attention: string): boolean {
  return attention.startsWith('flash_attention') || attention === 'flash';
}

export function batchOf(questions: RunQuestions, { architecture, model, head }: RowsOf): BatchShape | null {
  const { samples } = architecture;
  if (samples === 'network') return valuesOf(questions, model);
  if (samples === 'audio') return audioOf(questions, { architecture, model, head });
  if (samples !== undefined) return imagesOf(questions, { architecture, model });
  return questions.value('task') === 'load' ? ONE_TEXT : rowsOf(questions, head, model);
}

/** The default batch: a single text. */
export const ONE_TEXT: BatchShape = {
  rows: 1,
  tokens: 1,
  targets: 0,
  padded: false,
  uneven: false,
  generated: 0,
  image: null,
  audio: null,
  contrast: NONE,
};

/** Samples of a project's own network: as many values as its input has. */
function valuesOf(questions: RunQuestions, { network }: ModelFacts): BatchShape | null {
  const rows = questions.value('task') === 'load' ? 1 : samplesOf(questions);
  if (rows === null || network === undefined) return null;
  for (const phrase of network.assumed) questions.guess(null, phrase);
  return { ...ONE_TEXT, rows, image: { channels: network.inputs, width: 1, height: 1 } };
}

function rowsOf(questions: RunQuestions, head: Head, model: ModelFacts): BatchShape | null {
  supposeTextLength(questions, model);
  guessLength(questions, model);
  const encoded = filledByTokens(questions) ?? encodedOf(questions, samplesOf(questions));
  const targets = head === 'seq2seq' ? targetsOf(questions) : 0;
  if (encoded === null || targets === null) return null;
  const { rows, tokens, contrast } = encoded;
  const attention = questions.value('attention') ?? '';
  const after = Math.min(questions.detail('generatedTokens') ?? 0, tokens - 1);
  const generated = head === 'seq2seq' ? 0 : after;
  const mixed = paddedRows(questions);
  return {
    ...ONE_TEXT,
    rows,
    contrast,
    tokens: tokens - after,
    targets,
    padded: !unpads(attention) && mixed,
    uneven: mixed && questions.value('task') !== 'infer' && questions.detail('fixedLength') !== true,
    atMost: questions.value('packing') !== true && questions.detail('fixedLength') !== true,
    generated,
  };
}

function imagesOf(questions: RunQuestions, rows: Omit<RowsOf, 'head'>): BatchShape | null {
  const { architecture, model } = rows;
  const isLoaded = questions.value('task') === 'load';
  const batch = isLoaded ? 1 : samplesOf(questions);
  const size = sizeOf(questions, model, isLoaded);
  if (size === null) questions.lack('the image size');
  const each = isLoaded || architecture.samples === 'latents' ? 1 : sequencesOf(questions, 'images');
  if (batch === null || size === null || each === null) return null;
  const [width, height] = size;
  const image =
    architecture.samples === 'latents'
      ? latentsOf(questions, rows, size)
      : { channels: stated(model, 'num_channels', COLORS), width, height };
  return { ...ONE_TEXT, rows: batch * each * guidedRows(questions, model), image };
}

function sizeOf(
  questions: RunQuestions,
  model: ModelFacts,
  isLoaded: boolean,
): readonly [number, number] | null {
  if (makesPictures(questions, model)) return pictureSize(questions, model);
  const size = questions.value('imageSize') ?? ownSize(questions, model);
  if (size !== null || !isLoaded) return size;
  return questions.assume(USUAL_SIDES, 'images of 224 × 224 pixels');
}

const COLORS = 3;

/** What transformers' vision configs have for `image_size` if a checkpoint states none. */
const USUAL_SIDES: readonly [number, number] = [224, 224];

/** Assumes images of the size that the model was made for. */
function ownSize(questions: RunQuestions, model: ModelFacts): readonly [number, number] | null {
  const side = stated(model, 'image_size', 0);
  const size = [stated(model, 'image_width', side), stated(model, 'image_height', side)] as const;
  if (size.includes(0)) return null;
  return questions.assume(size, `images of ${size[0]} × ${size[1]} pixels, for which the model was made`);
}

/** Assumes that the generated tokens are decoded in one pass with the final cache. */
function targetsOf(questions: RunQuestions): number | null {
  const generated = questions.detail('generatedTokens');
  if (generated !== null) {
    return questions.assume(generated, 'what is generated takes no more than decoding it in one pass');
  }
  return questions.detail('targetTokens') ?? questions.lack('the length of the target sequences');
}

/** Sample rate of wav2vec 2.0's and Whisper's checkpoints (their preprocessor_config.json). */
const RATE = 16_000;

/** Audio rows: a spectrogram of fixed size, or a waveform of the config's length. */
function audioOf(questions: RunQuestions, { architecture, model, head }: RowsOf): BatchShape | null {
  const isLoaded = questions.value('task') === 'load';
  const batch = isLoaded ? 1 : samplesOf(questions);
  const audioForm = architecture.audioInput?.(model);
  if (!audioForm || batch === null) return null;
  const shape = { ...ONE_TEXT, rows: batch };
  if (audioForm.kind === 'spectrogram') {
    const { values, tokens, targets: most } = audioForm;
    return { ...shape, tokens, targets: writtenOf(questions, most), padded: false, audio: { values } };
  }
  const seconds =
    questions.detail('audioSeconds') ?? (isLoaded ? 1 : questions.lack('how long the audio of a row is'));
  if (seconds === null) return null;
  const values = Math.ceil(seconds * RATE);
  const tokens = audioForm.tokensOf(values);
  const targets = head === 'ctc' ? transcribedOf(questions, tokens) : 0;
  return { ...shape, tokens, targets, padded: paddedRows(questions), uneven: true, audio: { values } };
}

/** Tokens of the transcribed text: stated, else the model's maximum. */
function writtenOf(questions: RunQuestions, most: number): number {
  const stated = questions.detail('targetTokens') ?? questions.detail('generatedTokens');
  return stated ?? questions.assume(most, `texts of ${most} tokens, as long as the model writes`);
}

/** CTC requires at most as many labels as frames. */
function transcribedOf(questions: RunQuestions, frames: number): number {
  return (
    questions.detail('targetTokens') ?? questions.assume(frames, 'texts with as many labels as CTC allows')
  );
}

/** Families whose position tables begin after those of the padding: two rows are not positions. */
const OFFSET = new Set(['roberta', 'xlm-roberta', 'camembert', 'mpnet']);

/** Up to this length, a tokenizer's own limit and run_clm.py's usual block are both the model's length. */
const SHORT_MODEL_TOKENS = 1024;

/**
 * Assumes the model's maximum length where configs do not state one: for texts to embed, and for rows that a
 * transformers script packs into blocks (run_clm.py: the tokenizer's `model_max_length`, at most 1,024 if that
 * exceeds the model's).
 */
function supposeTextLength(questions: RunQuestions, { maxPositions, modelType }: ModelFacts): void {
  if (maxPositions === null || questions.value('seqLen') !== null) return;
  const longest = maxPositions - (OFFSET.has(modelType) ? 2 : 0);
  const isPacked = questions.value('packing') === true && longest <= SHORT_MODEL_TOKENS;
  if (questions.value('task') === 'embed') {
    questions.suppose('seqLen', longest, `texts of up to ${longest} tokens, for which the model was made`);
  } else if (isPacked && !isInference(questions)) {
    questions.suppose('seqLen', longest, `packed rows of ${longest} tokens, as long as the model allows`);
  }
}

/**
 * A batch with a token limit. Without padding its texts are concatenated into one; with padding it has as many of
 * the longest as fit (text-embeddings-inference 0d124dc, core/src/queue.rs). Training fills packed micro batches alike;
 * a row that is longer than the limit gets one of its own.
 */
function filledByTokens(questions: RunQuestions): Encoded | null {
  const { value, unit } = questions.run.quantities.microBatchSize;
  const embeds = questions.value('task') === 'embed';
  if (unit !== 'tokens' || value === null || (!embeds && questions.value('packing') !== true)) return null;
  const longest = questions.value('seqLen');
  if (!embeds) return longest === null ? null : filledWith(value, longest);
  questions.assume(null, 'its kernels hold what the model’s own code holds with such attention');
  if (unpads(questions.value('attention') ?? '')) return { rows: 1, tokens: value, contrast: NONE };
  return longest === null ? null : filledWith(value, Math.min(longest, value));
}

const filledWith = (limit: number, tokens: number): Encoded => ({
  rows: Math.max(1, Math.floor(limit / tokens)),
  tokens,
  contrast: NONE,
});

/** Stable Diffusion's autoencoder. */
const USUAL: LatentShape = { channels: 4, scale: 8, frames: 0 };

/** Latents of an image with this many pixels, or of a video with the run's number of frames. */
function latentsOf(
  questions: RunQuestions,
  { architecture, model }: { readonly architecture: Architecture; readonly model: ModelFacts },
  [width, height]: readonly [number, number],
): ImageShape {
  const { latents = USUAL } = architecture;
  const scale = stated(model, 'vae_scale_factor', latents.scale);
  const side = (pixels: number): number => Math.floor(pixels / scale);
  const channels = stated(model, 'latent_channels', stated(model, 'in_channels', latents.channels));
  const shape = { channels, width: side(width), height: side(height) };
  const ratio = stated(model, 'temporal_compression_ratio', latents.frames);
  return ratio === 0 ? shape : { ...shape, frames: framesOf(questions, ratio) };
}

/** The first frame is encoded separately, the others in groups. */
function framesOf(questions: RunQuestions, ratio: number): number {
  const frames = questions.detail('frames') ?? framesUnsaid(questions);
  return Math.floor((frames - 1) / ratio) + 1;
}

/** A training clip may have any number of frames; what a pipeline loads or generates without a number is a picture. */
function framesUnsaid(questions: RunQuestions): number {
  if (!isInference(questions)) questions.lack('the frames per clip (no key states num_frames)');
  return questions.assume(1, 'a single frame: no key says how many');
}

/** Rows per pass in contrastive training, and what they are compared with. */
interface Encoded {
  readonly rows: number;
  readonly tokens: number;
  readonly contrast: Maybe<Contrast>;
}

/** The rows that a pass encodes: parts of contrastive training, or several sequences per sample; null: unknown. */
function encodedOf(questions: RunQuestions, samples: number | null): Encoded | null {
  const contrasted = contrastOf(questions, samples, questions.value('seqLen'));
  if (contrasted) return contrasted;
  const tokens = questions.needed('seqLen', 'the sequence length');
  if (samples === null || tokens === null) return null;
  const contrast = comparesEmbeddings(questions.value('task')) ? UNKNOWN : NONE;
  const each = sequencesOf(questions);
  return each === null ? null : { rows: samples * each, tokens, contrast };
}

/** Sequences per sample; if a config leaves them open, there is no estimate. Null: unknown. */
function sequencesOf(questions: RunQuestions, what: 'sequences' | 'images' = 'sequences'): number | null {
  const stated = questions.run.details.sequencesPerSample;
  if (stated?.origin.kind !== 'unresolved') return stated?.value ?? 1;
  // The task would tell it: with a supposed one there is one sequence, unless a key says that there are several.
  if (questions.unknown('task') && stated.origin.key === undefined) {
    return questions.guess(1, `one of ${what} for each sample: no key says the task`, 'task');
  }
  const [reason = ''] = stated.origin.why.split(/[;.](?:\s|$)/);
  return questions.lack(`the ${what} per sample (${reason})`);
}

/** The rows encoded at a time if a config states how embeddings are compared; null: it does not. */
function contrastOf(questions: RunQuestions, pairs: number | null, seqLen: number | null): Encoded | null {
  const settings = questions.detail('contrastive');
  if (settings === null || pairs === null) return null;
  const { queryTokens, passageTokens, cachedRows, gathers } = settings;
  const tokens = passageTokens ?? seqLen ?? queryTokens;
  const each = passagesOf(questions, settings);
  if (tokens === null || each === null) return null;
  const share = Math.min(1, (queryTokens ?? tokens) / tokens);
  if (share < 1) {
    questions.assume(
      null,
      `queries of ${queryTokens ?? tokens} tokens count as the part of a passage that they are long`,
    );
  }
  const ranks = gathers ? (questions.value('gpus') ?? 1) : 1;
  const sentences = pairs * (1 + each);
  const cached = cachedRows === null ? null : { sentences, scored: cachedRows };
  const contrast = known({ queries: pairs, passages: pairs * each * ranks, cached });
  const rows = Math.ceil(pairs * (each + share));
  return { rows: cachedRows === null ? rows : Math.min(rows, cachedRows), tokens, contrast };
}

/** With GradCache the rows of a pass are those of a chunk, however many passages there are. */
function passagesOf(questions: RunQuestions, { passages, cachedRows }: ContrastiveSettings): number | null {
  if (passages !== null) return passages;
  if (cachedRows === null) return questions.lack('the passages per query (no key states num_negatives)');
  return questions.assume(1, 'each query has one passage: no key states negatives');
}

/**
 * For a global batch without a number of GPUs in the config: one GPU's share, with the number that the estimate is
 * made for.
 */
export function supposeShare(questions: RunQuestions, replicas: number): void {
  const { globalBatchSize } = questions.run.quantities;
  const total = globalBatchSize.value;
  if (total === null || !questions.unknown('microBatchSize') || questions.value('gradAccum') !== 1) return;
  const share = total / replicas;
  if (!Number.isInteger(share) || (globalBatchSize.unit ?? 'samples') !== 'samples') return;
  questions.suppose('microBatchSize', share, `${share} of the batch of ${total} on each GPU`);
}

const USUAL_LENGTH = 2048;

/**
 * Rows without a limit are as long as the longest sample of a batch, which only the data tell: estimates rows of a
 * common length, without a verdict. Returns true if this was necessary.
 */
export function supposeUncutLength(questions: RunQuestions, model: ModelFacts | null): boolean {
  const isUncut =
    questions.detail('unlimitedLength') === true && questions.unknown('seqLen') && !isInference(questions);
  if (!isUncut) return false;
  const tokens = usualLength(model);
  questions.suppose('seqLen', tokens, `rows of ${tokens} tokens: nothing limits them, ${UNCUT}`);
  questions.doubts.push('uncut');
  return true;
}

const usualLength = (model: ModelFacts | null): number =>
  Math.min(model?.maxPositions ?? USUAL_LENGTH, USUAL_LENGTH);

/** A length that no key tells, in training of texts: the model's own, up to a common one. */
function guessLength(questions: RunQuestions, model: ModelFacts): void {
  if (!questions.unknown('seqLen') || questions.value('seqLen') !== null || isInference(questions)) return;
  const contrast = questions.detail('contrastive');
  if (contrast !== null && (contrast.passageTokens ?? contrast.queryTokens) !== null) return;
  const tokens = usualLength(model);
  questions.supposes(
    'seqLen',
    questions.guess(tokens, `rows of ${tokens} tokens: their length is not known`, 'length'),
  );
}
