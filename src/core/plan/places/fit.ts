import type { Evidence } from '../../learn/measurement';
import type { Bytes, Verdict } from '../../memory/estimate';
import type { Plan } from '../plan';
import type { Place } from '../../compare/place';
import type { GpuPrice } from '../../hardware/price';

/** What becomes of a run in one place. */
export type Answer =
  | 'fits'
  /** Perhaps: the estimate's upper end is above what is there. */
  | 'tight'
  /** It does not, but a plan makes it. */
  | 'with-fix'
  | 'exceeds'
  /** The run asks for more GPUs than there are. */
  | 'too-few'
  | 'unknown';

/** A micro batch with the accumulation that keeps the effective batch. */
export interface BatchSplit {
  readonly microBatchSize: number;
  readonly gradAccum: number;
}

/** A run in one place, as far as it depends on the place's memory. */
export interface Fit {
  readonly verdict: Verdict;
  /** Device memory that it takes there; null: not known. */
  readonly need: Bytes | null;
  /** What is left of what a program can have now, at the expected need; below 0: what is missing. */
  readonly headroomBytes: number | null;
  /** The smallest change that makes it fit; null where it fits anyhow, or none does. */
  readonly fix: Plan | null;
  /** The largest micro batch that fits, for the same effective batch; null where none does, or batches mean nothing. */
  readonly largestBatch: BatchSplit | null;
  /** Facts without which there is no verdict. */
  readonly missing: readonly string[];
  /** What it rests on in addition to the computation; null: nothing. */
  readonly evidence: Evidence | null;
}

export interface ComparedPlace {
  readonly place: Place;
  readonly fit: Fit;
  readonly answer: Answer;
  /** GPUs that the run asks for; null: as many as its launcher is told to use. */
  readonly needsGpus: number | null;
  /** GPUs that it would take here. */
  readonly takesGpus: number;
  /** Of one GPU of a type that can be rented; null: no price is known, or the GPUs are there. */
  readonly price: GpuPrice | null;
}
