import type { Evidence } from '../../learn/measurement';
import type { Bytes, Estimate, Verdict } from '../../memory/estimate';
import type { Speed } from '../../speed/speed';
import type { Plan } from '../plan';
import type { Place } from '../../compare/place';
import type { GpuPrice } from '../../hardware/price';

/** The verdict of a run in one place. */
export type Answer =
  | 'fits'
  /** Perhaps: the upper end of the estimate exceeds the memory. */
  | 'tight'
  /** It does not fit, but with a plan it does. */
  | 'with-fix'
  | 'exceeds'
  /** The run requests more GPUs than the place has. */
  | 'too-few'
  | 'unknown';

/** A micro-batch size, with the accumulation that keeps the effective batch size. */
export interface BatchSplit {
  readonly microBatchSize: number;
  readonly gradAccum: number;
}

/** The result for a run in one place, as far as it depends on the place's memory. */
export interface Fit {
  readonly verdict: Verdict;
  /** The whole estimate; null: unknown. */
  readonly estimate: Estimate | null;
  /** Device memory that it needs there; null: unknown. */
  readonly need: Bytes | null;
  /** Free memory that remains at the expected need; negative: missing memory. */
  readonly headroomBytes: number | null;
  /** The mildest change that makes it fit; null if it already fits, or if nothing makes it fit. */
  readonly fix: Plan | null;
  /**
   * The largest micro batch that fits with the same effective batch size; null if none fits or the run has no
   * batch.
   */
  readonly largestBatch: BatchSplit | null;
  /** Missing facts that prevent a verdict. */
  readonly missing: readonly string[];
  /** The evidence in addition to the computation; null: none. */
  readonly evidence: Evidence | null;
}

export interface ComparedPlace {
  readonly place: Place;
  readonly fit: Fit;
  readonly answer: Answer;
  /** GPUs that the run requests; null: the launcher decides. */
  readonly needsGpus: number | null;
  /** GPUs that it would use here. */
  readonly takesGpus: number;
  /** The price of one GPU of a type for rent; null: unknown, or the GPUs are present. */
  readonly price: GpuPrice | null;
  /** Time and cost of training on these GPUs; null: unknown. */
  readonly speed: Speed | null;
}
