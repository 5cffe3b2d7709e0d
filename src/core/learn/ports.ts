import type { LengthRecord } from '../lengths/record';
import type { Measurement } from './measurement';

/** What runs really took, from files beside a config and from the user's own. */
export interface MeasurementLookup {
  readonly measurements: readonly Measurement[];
  /** Files that were read or looked for. */
  readonly dependencies: readonly string[];
  /** Headroom's own version: sums that another one predicted correct nothing. */
  readonly by: string;
}

export interface MeasurementFiles {
  near(file: string): Promise<MeasurementLookup>;
}

/** How long the data around a config are, where that was counted. */
export interface LengthLookup {
  /** The newest last; `isStale`: the files are others by now. */
  readonly counted: readonly { readonly record: LengthRecord; readonly isStale: boolean }[];
  /** Files that were read or looked for. */
  readonly dependencies: readonly string[];
}

export interface LengthFiles {
  near(file: string): Promise<LengthLookup>;
}
