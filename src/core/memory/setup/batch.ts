import { towerOf } from '../../models/languageModel';
import type { ModelFacts } from '../../models/model';
import type { Head } from '../../spec/values';
import type { Architecture, LatentShape } from '../architecture';
import type { Batch, Contrast, ImageShape } from '../run';
import type { RunQuestions } from './questions';
import { stated } from '../facts';
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
export function samplesOf(asker: RunQuestions): number | null {
  const { unit = 'samples' } = asker.run.quantities.microBatchSize;
  const rows = asker.needed('microBatchSize', 'the micro batch size');
  if (rows === null || unit === 'samples' || unit === 'sentences') return rows;
  asker.lack(`the rows of a batch that counts ${unit}`);
  return null;
}

/** Whether rows need a mask: what the dialect says, else they do unless they are packed. */
export function paddedRows(asker: RunQuestions): boolean {
  const stated = asker.detail('paddedRows');
  if (stated !== null) return stated;
  if (asker.value('packing') === true) return false;
  return asker.assume(true, 'rows differ in length and are padded to the sequence length');
}

/** Pixels of the image in each row; a model without a vision tower sees none. */
export function pixelsPerRow(asker: RunQuestions, model: ModelFacts): Maybe<number> {
  if (towerOf(model) === null) return NONE;
  const pixels = asker.detail('picturePixels');
  return pixels === null ? UNKNOWN : known(pixels);
}

/** FlashAttention takes the padding out instead of masking it. */
export function unpads(attention: string): boolean {
  return attention.startsWith('flash_attention') || attention === 'flash';
}

export function batchOf(asker: RunQuestions, { architecture, model, head }: RowsOf): BatchShape | null {
  const { samples } = architecture;
  if (samples === 'audio') return audioOf(asker, { architecture, model, head });
  if (samples !== undefined) return imagesOf(asker, { architecture, model });
  return asker.value('task') === 'load' ? ONE_TEXT : rowsOf(asker, head, model);
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

function rowsOf(asker: RunQuestions, head: Head, model: ModelFacts): BatchShape | null {
  supposeTextLength(asker, model);
  const encoded = filledByTokens(asker) ?? encodedOf(asker, samplesOf(asker));
  const targets = head === 'seq2seq' ? targetsOf(asker) : 0;
  if (encoded === null || targets === null) return null;
  const { rows, tokens, contrast } = encoded;
  const attention = asker.value('attention') ?? '';
  const after = Math.min(asker.detail('generatedTokens') ?? 0, tokens - 1);
  const generated = head === 'seq2seq' ? 0 : after;
  const mixed = paddedRows(asker);
  return {
    ...ONE_TEXT,
    rows,
    contrast,
    tokens: tokens - after,
    targets,
    padded: !unpads(attention) && mixed,
    uneven: mixed && asker.value('task') !== 'infer' && asker.detail('fixedLength') !== true,
    generated,
  };
}

function imagesOf(asker: RunQuestions, rows: Omit<RowsOf, 'head'>): BatchShape | null {
  const { architecture, model } = rows;
  const isLoaded = asker.value('task') === 'load';
  const batch = isLoaded ? 1 : samplesOf(asker);
  const size = asker.value('imageSize') ?? ownSize(asker, model);
  if (size === null) asker.lack('the image size');
  if (batch === null || size === null) return null;
  const [width, height] = size;
  const image =
    architecture.samples === 'latents'
      ? latentsOf(asker, rows, size)
      : { channels: stated(model, 'num_channels', COLOURS), width, height };
  return { ...ONE_TEXT, rows: batch, image };
}

const COLOURS = 3;

/** Images are taken to have the size that the model was made for. */
function ownSize(asker: RunQuestions, model: ModelFacts): readonly [number, number] | null {
  const side = stated(model, 'image_size', 0);
  const size = [stated(model, 'image_width', side), stated(model, 'image_height', side)] as const;
  if (size.includes(0)) return null;
  return asker.assume(size, `images of ${size[0]} × ${size[1]} pixels, for which the model was made`);
}

/** What is generated is taken to be decoded in one pass, whose cache is the last one's. */
function targetsOf(asker: RunQuestions): number | null {
  const generated = asker.detail('generatedTokens');
  if (generated !== null) {
    return asker.assume(generated, 'what is generated takes no more than decoding it in one pass');
  }
  return asker.detail('targetTokens') ?? asker.lack('the length of the target sequences');
}

/** Samples a second that checkpoints of wav2vec 2.0's kind and Whisper were made for (their preprocessor_config.json). */
const RATE = 16_000;

/** Rows of audio: a spectrogram of fixed size, whatever is in it, or a waveform as long as the config says. */
export function audioOf(asker: RunQuestions, { architecture, model, head }: RowsOf): BatchShape | null {
  const isLoaded = asker.value('task') === 'load';
  const batch = isLoaded ? 1 : samplesOf(asker);
  const hearing = architecture.hears?.(model);
  if (!hearing || batch === null) return null;
  const shape = { ...ONE_TEXT, rows: batch };
  if (hearing.kind === 'spectrogram') {
    const { values, tokens, targets: most } = hearing;
    return { ...shape, tokens, targets: writtenOf(asker, most), padded: false, audio: { values } };
  }
  const seconds =
    asker.detail('audioSeconds') ?? (isLoaded ? 1 : asker.lack('how long the audio of a row is'));
  if (seconds === null) return null;
  const values = Math.ceil(seconds * RATE);
  const tokens = hearing.tokensOf(values);
  const targets = head === 'ctc' ? transcribedOf(asker, tokens) : 0;
  return { ...shape, tokens, targets, padded: paddedRows(asker), uneven: true, audio: { values } };
}

/** Tokens of the text that is written: as stated, else as many as the model may write. */
function writtenOf(asker: RunQuestions, most: number): number {
  const stated = asker.detail('targetTokens') ?? asker.detail('generatedTokens');
  return stated ?? asker.assume(most, `texts of ${most} tokens, as long as the model writes`);
}

/** CTC takes no text with more labels than there are frames. */
function transcribedOf(asker: RunQuestions, frames: number): number {
  return asker.detail('targetTokens') ?? asker.assume(frames, 'texts with as many labels as CTC allows');
}

/** Families whose tables of positions begin behind those of the padding: two rows of them are no positions. */
const OFFSET = new Set(['roberta', 'xlm-roberta', 'camembert', 'mpnet']);

/** Texts to embed are as long as the model takes them: nobody says in a config how long its texts are. */
export function supposeTextLength(asker: RunQuestions, { maxPositions, modelType }: ModelFacts): void {
  if (maxPositions === null || asker.value('task') !== 'embed' || asker.value('seqLen') !== null) return;
  const longest = maxPositions - (OFFSET.has(modelType) ? 2 : 0);
  asker.suppose('seqLen', longest, `texts of up to ${longest} tokens, for which the model was made`);
}

/**
 * A batch that is filled by tokens. Without padding its texts lie one behind the other, as if they were one; with padding it
 * has as many of the longest as go into it (text-embeddings-inference 0d124dc, core/src/queue.rs).
 */
export function filledByTokens(asker: RunQuestions): Encoded | null {
  const { value, unit } = asker.run.quantities.microBatchSize;
  if (unit !== 'tokens' || value === null || asker.value('task') !== 'embed') return null;
  asker.assume(null, 'its kernels hold what the model’s own code holds with such attention');
  if (unpads(asker.value('attention') ?? '')) return { rows: 1, tokens: value, contrast: NONE };
  const longest = asker.value('seqLen');
  if (longest === null) return null;
  const tokens = Math.min(longest, value);
  return { rows: Math.max(1, Math.floor(value / tokens)), tokens, contrast: NONE };
}

/** Stable Diffusion's autoencoder. */
const USUAL: LatentShape = { channels: 4, scale: 8, frames: 0 };

/** Latents of an image of so many pixels, or of a video of as many such frames as the run says. */
export function latentsOf(
  asker: RunQuestions,
  { architecture, model }: { readonly architecture: Architecture; readonly model: ModelFacts },
  [width, height]: readonly [number, number],
): ImageShape {
  const { latents = USUAL } = architecture;
  const scale = stated(model, 'vae_scale_factor', latents.scale);
  const side = (pixels: number): number => Math.floor(pixels / scale);
  const channels = stated(model, 'latent_channels', stated(model, 'in_channels', latents.channels));
  const shape = { channels, width: side(width), height: side(height) };
  const ratio = stated(model, 'temporal_compression_ratio', latents.frames);
  return ratio === 0 ? shape : { ...shape, frames: framesOf(asker, ratio) };
}

/** The first frame is encoded by itself, the others several together. */
function framesOf(asker: RunQuestions, ratio: number): number {
  const frames = asker.detail('frames') ?? asker.assume(1, 'a single frame: no key says how many');
  return Math.floor((frames - 1) / ratio) + 1;
}

/** Rows of one pass of contrastive training, and what they are compared with. */
export interface Encoded {
  readonly rows: number;
  readonly tokens: number;
  readonly contrast: Maybe<Contrast>;
}

/** What a pass encodes: the parts of contrastive training, or so many sequences of each sample; null: not known. */
export function encodedOf(asker: RunQuestions, samples: number | null): Encoded | null {
  const contrasted = contrastOf(asker, samples, asker.value('seqLen'));
  if (contrasted) return contrasted;
  const tokens = asker.needed('seqLen', 'the sequence length');
  if (samples === null || tokens === null) return null;
  const contrast = comparesEmbeddings(asker.value('task')) ? UNKNOWN : NONE;
  return { rows: samples * (asker.detail('sequencesPerSample') ?? 1), tokens, contrast };
}

/** What is encoded at a time where a config says how embeddings are compared; null: it does not. */
function contrastOf(asker: RunQuestions, pairs: number | null, seqLen: number | null): Encoded | null {
  const settings = asker.detail('contrastive');
  if (settings === null || pairs === null) return null;
  const { passages: each, queryTokens, passageTokens, cachedRows, gathers } = settings;
  const tokens = passageTokens ?? seqLen ?? queryTokens;
  if (tokens === null) return null;
  const share = Math.min(1, (queryTokens ?? tokens) / tokens);
  if (share < 1) {
    asker.assume(
      null,
      `queries of ${queryTokens ?? tokens} tokens count as the part of a passage that they are long`,
    );
  }
  const ranks = gathers ? (asker.value('gpus') ?? 1) : 1;
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
export function supposeShare(asker: RunQuestions, replicas: number): void {
  const { globalBatchSize } = asker.run.quantities;
  const total = globalBatchSize.value;
  if (total === null || !asker.unknown('microBatchSize') || asker.value('gradAccum') !== 1) return;
  const share = total / replicas;
  if (!Number.isInteger(share) || (globalBatchSize.unit ?? 'samples') !== 'samples') return;
  asker.suppose('microBatchSize', share, `${share} of the batch of ${total} on each GPU`);
}

const USUAL_LENGTH = 2048;

/**
 * Rows that nothing cuts are as long as the longest sample of a batch, which only the data know: an estimate for rows of
 * a length that is common, with no verdict on it. True where that had to be done.
 */
export function supposeUncutLength(asker: RunQuestions, model: ModelFacts | null): boolean {
  const isUncut = asker.detail('unlimitedLength') === true && asker.unknown('seqLen') && !isInference(asker);
  if (!isUncut) return false;
  const tokens = Math.min(model?.maxPositions ?? USUAL_LENGTH, USUAL_LENGTH);
  asker.suppose(
    'seqLen',
    tokens,
    `rows of ${tokens} tokens: nothing limits them, the longest sample decides`,
  );
  return true;
}
