import { towerOf } from '../../models/languageModel';
import type { ModelFacts } from '../../models/model';
import type { Head } from '../../spec/values';
import type { Architecture, LatentShape } from '../architecture';
import type { Batch, Contrast, ImageShape } from '../run';
import type { RunQuestions } from './questions';
import { stated } from '../configValues';
import { comparesEmbeddings, isInference } from './task';
import { known, NONE, UNKNOWN } from '../../spec/maybe';
import type { Maybe } from '../../spec/maybe';

/** Rows of one forward pass on one device, and what is generated after it. */
export interface BatchShape extends Omit<Batch, 'picturePixels'> {
  /** Tokens after the prompt. */
  readonly generated: number;
}

/** What decides what a row is. */
export interface RowsOf {
  readonly architecture: Architecture;
  readonly model: ModelFacts;
  readonly head: Head;
}

/** Batches that are filled by length (tokens, frames, seconds of audio) do not say how many rows they have. */
export function samplesOf(questions: RunQuestions): number | null {
  const { unit = 'samples' } = questions.run.quantities.microBatchSize;
  const rows = questions.needed('microBatchSize', 'the micro batch size');
  if (rows === null || unit === 'samples' || unit === 'sentences') return rows;
  questions.lack(`the rows of a batch that counts ${unit}`);
  return null;
}

/** Whether rows need a mask: what the dialect says, else they do unless they are packed. */
export function paddedRows(questions: RunQuestions): boolean {
  const stated = questions.detail('paddedRows');
  if (stated !== null) return stated;
  if (questions.value('packing') === true) return false;
  return questions.assume(true, 'rows differ in length and are padded to the sequence length');
}

/** Pixels of the image in each row; a model without a vision tower sees none. */
export function pixelsPerRow(questions: RunQuestions, model: ModelFacts): Maybe<number> {
  if (towerOf(model) === null) return NONE;
  const pixels = questions.detail('picturePixels');
  return pixels === null ? UNKNOWN : known(pixels);
}

/** FlashAttention takes the padding out instead of masking it. */
export function unpads(attention: string): boolean {
  return attention.startsWith('flash_attention') || attention === 'flash';
}

export function batchOf(questions: RunQuestions, { architecture, model, head }: RowsOf): BatchShape | null {
  const { samples } = architecture;
  if (samples === 'audio') return audioOf(questions, { architecture, model, head });
  if (samples !== undefined) return imagesOf(questions, { architecture, model });
  return questions.value('task') === 'load' ? ONE_TEXT : rowsOf(questions, head, model);
}

/** A batch as far as nothing is said about it: one text, alone. */
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

function rowsOf(questions: RunQuestions, head: Head, model: ModelFacts): BatchShape | null {
  supposeTextLength(questions, model);
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
  const size = questions.value('imageSize') ?? ownSize(questions, model);
  if (size === null) questions.lack('the image size');
  if (batch === null || size === null) return null;
  const [width, height] = size;
  const image =
    architecture.samples === 'latents'
      ? latentsOf(questions, rows, size)
      : { channels: stated(model, 'num_channels', COLOURS), width, height };
  return { ...ONE_TEXT, rows: batch, image };
}

const COLOURS = 3;

/** Images are taken to have the size that the model was made for. */
function ownSize(questions: RunQuestions, model: ModelFacts): readonly [number, number] | null {
  const side = stated(model, 'image_size', 0);
  const size = [stated(model, 'image_width', side), stated(model, 'image_height', side)] as const;
  if (size.includes(0)) return null;
  return questions.assume(size, `images of ${size[0]} × ${size[1]} pixels, for which the model was made`);
}

/** What is generated is taken to be decoded in one pass, whose cache is the last one's. */
function targetsOf(questions: RunQuestions): number | null {
  const generated = questions.detail('generatedTokens');
  if (generated !== null) {
    return questions.assume(generated, 'what is generated takes no more than decoding it in one pass');
  }
  return questions.detail('targetTokens') ?? questions.lack('the length of the target sequences');
}

/** Samples a second that checkpoints of wav2vec 2.0's kind and Whisper were made for (their preprocessor_config.json). */
const RATE = 16_000;

/** Rows of audio: a spectrogram of fixed size, whatever is in it, or a waveform as long as the config says. */
export function audioOf(questions: RunQuestions, { architecture, model, head }: RowsOf): BatchShape | null {
  const isLoaded = questions.value('task') === 'load';
  const batch = isLoaded ? 1 : samplesOf(questions);
  const hearing = architecture.hears?.(model);
  if (!hearing || batch === null) return null;
  const shape = { ...ONE_TEXT, rows: batch };
  if (hearing.kind === 'spectrogram') {
    const { values, tokens, targets: most } = hearing;
    return { ...shape, tokens, targets: writtenOf(questions, most), padded: false, audio: { values } };
  }
  const seconds =
    questions.detail('audioSeconds') ?? (isLoaded ? 1 : questions.lack('how long the audio of a row is'));
  if (seconds === null) return null;
  const values = Math.ceil(seconds * RATE);
  const tokens = hearing.tokensOf(values);
  const targets = head === 'ctc' ? transcribedOf(questions, tokens) : 0;
  return { ...shape, tokens, targets, padded: paddedRows(questions), uneven: true, audio: { values } };
}

/** Tokens of the text that is written: as stated, else as many as the model may write. */
function writtenOf(questions: RunQuestions, most: number): number {
  const stated = questions.detail('targetTokens') ?? questions.detail('generatedTokens');
  return stated ?? questions.assume(most, `texts of ${most} tokens, as long as the model writes`);
}

/** CTC takes no text with more labels than there are frames. */
function transcribedOf(questions: RunQuestions, frames: number): number {
  return (
    questions.detail('targetTokens') ?? questions.assume(frames, 'texts with as many labels as CTC allows')
  );
}

/** Families whose tables of positions begin behind those of the padding: two rows of them are no positions. */
const OFFSET = new Set(['roberta', 'xlm-roberta', 'camembert', 'mpnet']);

/** Texts to embed are as long as the model takes them: no one says in a config how long its texts are. */
export function supposeTextLength(questions: RunQuestions, { maxPositions, modelType }: ModelFacts): void {
  if (maxPositions === null || questions.value('task') !== 'embed' || questions.value('seqLen') !== null) {
    return;
  }
  const longest = maxPositions - (OFFSET.has(modelType) ? 2 : 0);
  questions.suppose('seqLen', longest, `texts of up to ${longest} tokens, for which the model was made`);
}

/**
 * A batch that is filled by tokens. Without padding its texts lie one behind the other, as if they were one; with padding it
 * has as many of the longest as go into it (text-embeddings-inference 0d124dc, core/src/queue.rs).
 */
export function filledByTokens(questions: RunQuestions): Encoded | null {
  const { value, unit } = questions.run.quantities.microBatchSize;
  if (unit !== 'tokens' || value === null || questions.value('task') !== 'embed') return null;
  questions.assume(null, 'its kernels hold what the model’s own code holds with such attention');
  if (unpads(questions.value('attention') ?? '')) return { rows: 1, tokens: value, contrast: NONE };
  const longest = questions.value('seqLen');
  if (longest === null) return null;
  const tokens = Math.min(longest, value);
  return { rows: Math.max(1, Math.floor(value / tokens)), tokens, contrast: NONE };
}

/** Stable Diffusion's autoencoder. */
const USUAL: LatentShape = { channels: 4, scale: 8, frames: 0 };

/** Latents of an image of so many pixels, or of a video of as many such frames as the run says. */
export function latentsOf(
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

/** The first frame is encoded by itself, the others several together. */
function framesOf(questions: RunQuestions, ratio: number): number {
  const frames = questions.detail('frames') ?? questions.assume(1, 'a single frame: no key says how many');
  return Math.floor((frames - 1) / ratio) + 1;
}

/** Rows of one pass of contrastive training, and what they are compared with. */
export interface Encoded {
  readonly rows: number;
  readonly tokens: number;
  readonly contrast: Maybe<Contrast>;
}

/** What a pass encodes: the parts of contrastive training, or so many sequences of each sample; null: not known. */
export function encodedOf(questions: RunQuestions, samples: number | null): Encoded | null {
  const contrasted = contrastOf(questions, samples, questions.value('seqLen'));
  if (contrasted) return contrasted;
  const tokens = questions.needed('seqLen', 'the sequence length');
  if (samples === null || tokens === null) return null;
  const contrast = comparesEmbeddings(questions.value('task')) ? UNKNOWN : NONE;
  const each = sequencesOf(questions);
  return each === null ? null : { rows: samples * each, tokens, contrast };
}

/** A factor of the whole batch: where a config leaves it open there is no estimate. Null: not known. */
function sequencesOf(questions: RunQuestions): number | null {
  const stated = questions.run.details.sequencesPerSample;
  if (stated?.origin.kind !== 'unresolved' || questions.unknown('task')) return stated?.value ?? 1;
  const [reason = ''] = stated.origin.why.split(/[;.]/);
  return questions.lack(`the sequences per sample (${reason})`);
}

/** What is encoded at a time where a config says how embeddings are compared; null: it does not. */
function contrastOf(questions: RunQuestions, pairs: number | null, seqLen: number | null): Encoded | null {
  const settings = questions.detail('contrastive');
  if (settings === null || pairs === null) return null;
  const { passages: each, queryTokens, passageTokens, cachedRows, gathers } = settings;
  const tokens = passageTokens ?? seqLen ?? queryTokens;
  if (tokens === null) return null;
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

/**
 * A batch that is stated for all GPUs together, where the config does not say how many there are: one GPU's share of it,
 * with as many as the estimate is made for.
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
 * Rows that nothing cuts are as long as the longest sample of a batch, which only the data know: an estimate for rows of
 * a length that is common, with no verdict on it. True where that had to be done.
 */
export function supposeUncutLength(questions: RunQuestions, model: ModelFacts | null): boolean {
  const isUncut =
    questions.detail('unlimitedLength') === true && questions.unknown('seqLen') && !isInference(questions);
  if (!isUncut) return false;
  const tokens = Math.min(model?.maxPositions ?? USUAL_LENGTH, USUAL_LENGTH);
  questions.suppose(
    'seqLen',
    tokens,
    `rows of ${tokens} tokens: nothing limits them, the longest sample decides`,
  );
  return true;
}
