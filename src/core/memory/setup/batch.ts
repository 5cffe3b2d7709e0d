import type { ModelFacts } from '../../models/model';
import type { Head } from '../../spec/values';
import type { Architecture } from '../architecture';
import { stated } from '../facts';
import type { AudioShape, Contrast, ImageShape } from '../run';
import type { Asker } from './asker';
import { audioOf } from './audio';
import { encodedOf } from './contrast';
import { filledByTokens, supposeLength } from './texts';
import { latentsOf } from './latents';

/** Rows of one forward pass on one device, and what each of them is. */
export interface BatchShape {
  readonly batch: number;
  readonly tokens: number;
  readonly padded: boolean;
  /** Tokens of a row of targets; 0 where there are none. */
  readonly targets: number;
  /** Tokens after the prompt. */
  readonly generated: number;
  readonly image: ImageShape | null;
  readonly audio?: AudioShape;
  readonly contrast?: Contrast | null;
  /** Batches differ in length. */
  readonly uneven: boolean;
}

/** What decides what a row is. */
export interface RowsOf {
  readonly architecture: Architecture;
  readonly model: ModelFacts;
  readonly head: Head;
}

export function batchOf(asker: Asker, { architecture, model, head }: RowsOf): BatchShape | null {
  const { samples } = architecture;
  if (samples === 'audio') return audioOf(asker, { architecture, model, head });
  if (samples !== undefined) return imagesOf(asker, { architecture, model });
  return asker.value('task') === 'load' ? NOTHING : rowsOf(asker, head, model);
}

/** What is asked of a model that is only loaded. */
const NOTHING: BatchShape = {
  batch: 1,
  tokens: 1,
  targets: 0,
  padded: false,
  uneven: false,
  generated: 0,
  image: null,
};

/** Batches that are filled by length (tokens, frames, seconds of audio) do not say how many rows they have. */
export function samplesOf(asker: Asker): number | null {
  const { unit = 'samples' } = asker.run.quantities.microBatchSize;
  const rows = asker.needed('microBatchSize', 'the micro batch size');
  if (rows === null || unit === 'samples' || unit === 'sentences') return rows;
  asker.lack(`the rows of a batch that counts ${unit}`);
  return null;
}

function rowsOf(asker: Asker, head: Head, model: ModelFacts): BatchShape | null {
  supposeLength(asker, model);
  const encoded = filledByTokens(asker) ?? encodedOf(asker, samplesOf(asker));
  const targets = head === 'seq2seq' ? targetsOf(asker) : 0;
  if (encoded === null || targets === null) return null;
  const { rows, tokens, contrast } = encoded;
  const attention = asker.value('attention') ?? '';
  const after = Math.min(asker.detail('generatedTokens') ?? 0, tokens - 1);
  const generated = head === 'seq2seq' ? 0 : after;
  const mixed = paddedRows(asker);
  return {
    batch: rows,
    contrast,
    tokens: tokens - after,
    targets,
    padded: !unpads(attention) && mixed,
    uneven: mixed && asker.value('task') !== 'infer' && asker.detail('fixedLength') !== true,
    generated,
    image: null,
  };
}

function imagesOf(asker: Asker, rows: Omit<RowsOf, 'head'>): BatchShape | null {
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
  return { batch, tokens: 1, padded: false, uneven: false, targets: 0, generated: 0, image };
}

const COLOURS = 3;

/** Images are taken to have the size that the model was made for. */
function ownSize(asker: Asker, model: ModelFacts): readonly [number, number] | null {
  const side = stated(model, 'image_size', 0);
  const size = [stated(model, 'image_width', side), stated(model, 'image_height', side)] as const;
  if (size.includes(0)) return null;
  return asker.assume(size, `images of ${size[0]} × ${size[1]} pixels, for which the model was made`);
}

/** What is generated is taken to be decoded in one pass, whose cache is the last one's. */
function targetsOf(asker: Asker): number | null {
  const generated = asker.detail('generatedTokens');
  if (generated !== null) {
    return asker.assume(generated, 'what is generated takes no more than decoding it in one pass');
  }
  return asker.detail('targetTokens') ?? asker.lack('the length of the target sequences');
}

/** Whether rows need a mask: what the dialect says, else they do unless they are packed. */
export function paddedRows(asker: Asker): boolean {
  const stated = asker.detail('paddedRows');
  if (stated !== null) return stated;
  if (asker.value('packing') === true) return false;
  return asker.assume(true, 'rows differ in length and are padded to the sequence length');
}

/** FlashAttention takes the padding out instead of masking it. */
export function unpads(attention: string): boolean {
  return attention.startsWith('flash_attention') || attention === 'flash';
}
