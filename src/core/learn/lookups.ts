import type { MeasuredRates } from '../hardware/measuredRates';
import type { LengthRecord } from '../lengths/record';
import type { Measurement } from './measurement';
import type { PastSpeed } from './pastSpeed';

/** Measurements from files next to a config and from the user's own file. */
export interface MeasurementLookup {
  readonly measurements: readonly Measurement[];
  /** How fast runs were; absent: none. */
  readonly speeds?: readonly PastSpeed[];
  /** What GPUs reach; absent: none was calibrated. */
  readonly rates?: readonly MeasuredRates[];
  /** Files that were read or looked for. */
  readonly dependencies: readonly string[];
  /** Headroom's version: predictions by other versions do not correct anything. */
  readonly by: string;
}

export interface MeasurementFiles {
  near(file: string): Promise<MeasurementLookup>;
}

/** Counted lengths of the data around a config. */
export interface LengthLookup {
  /** Newest last; `isStale`: the files have changed since. */
  readonly counted: readonly { readonly record: LengthRecord; readonly isStale: boolean }[];
  /** Files that were read or looked for. */
  readonly dependencies: readonly string[];
}

export interface LengthFiles {
  near(file: string): Promise<LengthLookup>;
}
