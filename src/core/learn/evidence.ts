import type { Bytes } from '../memory/estimate';
import type { MeasurementSource } from './measurement';

/** What an estimate rests on beside the computation. */
export interface Evidence {
  /**
   * `measured`: this very run was; `dry run`: its code was run without data; `fitted`: a line through measurements of
   * runs with other rows, where nobody knows the model; `corrected`: computed, and moved by measurements of its like.
   */
  readonly kind: 'measured' | 'dry run' | 'fitted' | 'corrected';
  readonly source: MeasurementSource;
  /** How many measurements it rests on. */
  readonly points: number;
  /** The latest of them, ISO 8601. */
  readonly at: string;
  /** What was computed without them, as nvidia-smi would show it; null: nothing could be. */
  readonly computed: Bytes | null;
  /** A sentence for people. */
  readonly says: string;
  /** What a change of versions did to this run; null: nothing that stands out. */
  readonly regression: string | null;
}
