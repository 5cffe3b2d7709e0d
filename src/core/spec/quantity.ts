import type { Span } from '../text/span';

/** The origin of a quantity's value. The kinds are those of the JSON output. */
export type Origin =
  /** Stated by the config itself. */
  | { readonly kind: 'file'; readonly at: Location }
  /** Stated by a file that the config names (DeepSpeed JSON, accelerate YAML, curriculum stage). */
  | { readonly kind: 'referenced'; readonly at: Location }
  /** The framework's default. `source` says where it was found. */
  | {
      readonly kind: 'default';
      readonly framework: string;
      readonly version: string;
      readonly source: string;
    }
  /** Computed from other quantities or facts. */
  | { readonly kind: 'derived'; readonly from: readonly string[]; readonly formula: string }
  /** Only the project's own code states it. */
  | { readonly kind: 'code'; readonly source: string }
  /** From a setting, a command-line option or a choice in the editor. */
  | { readonly kind: 'user'; readonly setting: string }
  /** Unknown; `why` is a sentence about what is missing, `key` the key that leaves it open, if any. */
  | { readonly kind: 'unresolved'; readonly why: string; readonly key?: Location };

export type OriginKind = Origin['kind'];

/** A value in a file. */
export interface Location {
  readonly file: string;
  /** The path, as formatPath writes it. */
  readonly path: string;
  readonly keySpan: Span;
  readonly valueSpan: Span;
  /** Line of the key, from 1. */
  readonly line: number;
}

/**
 * One fact about a run. `value: null` means unknown if the origin is `unresolved`, and "none" (not quantized, no
 * LoRA, no FSDP …) with every other origin.
 */
export interface Quantity<T> {
  readonly value: T | null;
  readonly origin: Origin;
  readonly unit?: Unit;
  readonly note?: string;
  /** The amount that the config states for all GPUs together, if the value is one GPU's share of it. */
  readonly total?: number;
}

/** The unit of a number; audio sequences and graphs are batched by their own measures. */
export type Unit =
  | 'samples'
  | 'sentences'
  | 'graphs'
  | 'tokens'
  | 'frames'
  | 'mel frames'
  | 'waveform samples'
  | 'seconds of audio'
  | 'bins (numel)'
  | 'pixels'
  | 'GPUs'
  | 'nodes'
  | 'workers';

/** True when the value is unknown. */
export function isUnknown(quantity: Quantity<unknown>): boolean {
  return quantity.origin.kind === 'unresolved';
}
