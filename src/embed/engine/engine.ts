import type { Batch } from './batches';

/** A text's size for a model. */
export interface TextSize {
  /** Tokens after truncation. */
  readonly length: number;
  /** The text was truncated. */
  readonly isCut: boolean;
  /** It has no tokens. */
  readonly isEmpty: boolean;
}

/** Tokenized texts that can be computed in batches. */
export interface PreparedTexts {
  readonly sizes: readonly TextSize[];
  /** One vector per text of the batch, concatenated; throws OutOfMemory if the batch is too large. */
  vectors(batch: Batch): Promise<Float32Array>;
}

/** A loaded model, wherever it runs. */
export interface Engine {
  /** Concurrent batches. */
  readonly count: number;
  /** Components of a vector; null if unknown before the first one. */
  readonly dimensions: number | null;
  readonly device: string;
  /** The device, and why. */
  readonly why: string;
  /** Free memory of the device once the model is loaded; null if unknown. */
  readonly freeBytes: number | null;
  /** Releases of the libraries it uses, by name; null if this program contains all of them. */
  readonly versions: Readonly<Record<string, string>> | null;
  prepare(texts: readonly string[]): Promise<PreparedTexts>;
  /** Resolves when it accepts another batch. */
  ready(): Promise<void>;
  stop(): Promise<void>;
}
