import type { ModelFacts } from '../../models/model';
import type { Head } from '../../spec/values';
import type { Architecture } from '../architecture';
import type { AudioShape, Contrast, ImageShape } from '../run';
import type { Asker } from './asker';

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

/** Batches that are filled by length (tokens, frames, seconds of audio) do not say how many rows they have. */
export function samplesOf(asker: Asker): number | null {
  const { unit = 'samples' } = asker.run.quantities.microBatchSize;
  const rows = asker.needed('microBatchSize', 'the micro batch size');
  if (rows === null || unit === 'samples' || unit === 'sentences') return rows;
  asker.lack(`the rows of a batch that counts ${unit}`);
  return null;
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
