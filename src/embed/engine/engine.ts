import type { Batch } from './batches';

/** What a text is to a model. */
export interface TextSize {
  /** Tokens, after it was cut. */
  readonly length: number;
  /** Its end did not fit into the model. */
  readonly isCut: boolean;
  /** Nothing of it became a token. */
  readonly isEmpty: boolean;
}

/** Texts that can be calculated in batches. */
export interface PreparedTexts {
  readonly sizes: readonly TextSize[];
  /** One vector a text of the batch, one behind the other; an OutOfMemory where it is too large. */
  vectors(batch: Batch): Promise<Float32Array>;
}

/** A model that is loaded, wherever it runs. */
export interface Engine {
  /** Batches that it calculates at a time. */
  readonly count: number;
  /** Components of a vector; null where it is not known before the first. */
  readonly dimensions: number | null;
  readonly device: string;
  /** Which device, and why. */
  readonly why: string;
  /** Where batches are calculated, once the model is there; null where it cannot be asked. */
  readonly freeBytes: number | null;
  /** Releases that take part, by name; null where this program has all of it. */
  readonly versions: Readonly<Record<string, string>> | null;
  prepare(texts: readonly string[]): Promise<PreparedTexts>;
  /** Resolves when it can take another batch. */
  ready(): Promise<void>;
  stop(): Promise<void>;
}
