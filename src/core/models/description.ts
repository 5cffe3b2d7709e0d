import type { Metric, TermName } from './terms';

/** One measured run of a model. */
export interface MeasuredPoint {
  /** Samples per device and step. */
  readonly batch: number;
  /** Tokens per sample; null: not stated, and then ignored. */
  readonly sequence: number | null;
  /** Sequences that the model encodes per sample; null: the same as in the estimated run. */
  readonly sequences: number | null;
  readonly bytes: number;
}

/** The memory of one term in that run. */
export interface Component {
  readonly term: TermName;
  readonly bytes: number;
}

/** A model of unknown architecture, as its user describes it. */
export interface Description {
  /** What the amounts mean. */
  readonly metric: Metric;
  readonly parameters: number | null;
  readonly measured: readonly MeasuredPoint[];
  readonly components: readonly Component[];
  /** The run that the components belong to. */
  readonly at: Omit<MeasuredPoint, 'bytes'> | null;
}
