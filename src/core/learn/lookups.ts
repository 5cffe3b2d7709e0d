import type { LengthRecord } from '../lengths/record';
import type { Lessons } from './learned';
import { readRates, readSpeeds } from './pastSpeed';
import { readMeasurements } from './readMeasurements';

/** Measurements from files next to a config and from the user's own file. */
export interface MeasurementLookup extends Lessons {
  /** Files that were read or looked for. */
  readonly dependencies: readonly string[];
}

/** What a file of measurements holds; null: it cannot be read. */
export const keptIn = (text: string | null) => ({
  measurements: text === null ? [] : readMeasurements(text).measurements,
  speeds: text === null ? [] : readSpeeds(text),
  rates: text === null ? [] : readRates(text),
});

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
