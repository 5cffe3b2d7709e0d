import type { Metric, TermName } from './terms';

/** One run of a model that somebody measured. */
export interface MeasuredPoint {
  /** Samples per device and step. */
  readonly batch: number;
  /** Tokens of a sample; null: not said, and then it does not count. */
  readonly sequence: number | null;
  /** Sequences that the model encodes per sample; null: as many as in the run that is asked about. */
  readonly sequences: number | null;
  readonly bytes: number;
}

/** What one term took in that run. */
export interface Component {
  readonly term: TermName;
  readonly bytes: number;
}

/** A model of which nobody knows the architecture, as its user describes it. */
export interface Description {
  /** What the amounts mean. */
  readonly metric: Metric;
  readonly parameters: number | null;
  readonly measured: readonly MeasuredPoint[];
  readonly components: readonly Component[];
  /** The run whose components these are. */
  readonly at: Omit<MeasuredPoint, 'bytes'> | null;
}
