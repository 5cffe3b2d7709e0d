import type { Measurement } from '../core/learn/measurement';
import type { Metric } from '../core/models/terms';
import type { Ending } from './ending';
import type { JobPeak, JobRecord } from './job';

/** Adds a measurement to a file; null: to the user's own. */
export type KeepMeasurement = (measurement: Measurement, file: string | null) => Promise<void>;

/** A run that ended in its first steps has not reached its peak. */
const FEWEST_STEPS = 3;

/**
 * The measurements of a job, one per metric. Empty for a job that ran out of memory or hardly started, and for one
 * with additional arguments, which the features do not capture.
 */
export function measurementsOf(
  record: JobRecord,
  ending: Ending,
  gpu: string | null,
): readonly Measurement[] {
  const { measured, state, peaks } = record;
  const isWhole = state === 'succeeded' || (ending.last?.step ?? 0) >= FEWEST_STEPS;
  if (!measured || !isWhole || ending.ranOut) return [];
  const { predicted, ...run } = measured;
  const most = (metric: Metric): JobPeak | undefined =>
    peaks.filter(peak => peak.metric === metric).toSorted((a, b) => b.bytes - a.bytes)[0];
  const found = [most('device'), most('reserved'), most('allocated')].filter(peak => peak !== undefined);
  return found.map(({ metric, bytes, devices }) => ({
    ...run,
    schema: 'headroom-measurement/1',
    at: new Date(record.endedMs ?? Date.now()).toISOString(),
    source: metric === 'device' ? 'job' : 'trainer',
    versions: ending.versions,
    gpu,
    metric,
    bytes,
    ...(devices && { devices }),
    terms: null,
    predicted: predicted?.[metric] ?? null,
  }));
}
