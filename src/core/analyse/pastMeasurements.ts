import type { PastRun } from '../history/collect';
import type { Measurement } from '../learn/measurement';
import type { RunAnalysis } from '../rules/analysis';
import { measuredRun } from './measuredRun';

/** Metrics in the order in which they tell most. */
const ORDER = ['device', 'reserved', 'allocated'] as const;

/**
 * The measurements of a past run, one per metric. `analysis` is the run that its logged config describes, on its GPU and without
 * measurements; `by` is Headroom's version.
 */
export function pastMeasurements(past: PastRun, analysis: RunAnalysis, by: string): readonly Measurement[] {
  const { predicted, ...facts } = measuredRun(analysis, by);
  const peaks = ORDER.flatMap(metric => past.peaks.find(peak => peak.metric === metric) ?? []);
  return peaks.map(({ metric, bytes, devices }) => ({
    ...facts,
    schema: 'headroom-measurement/1',
    at: new Date(past.atMs ?? 0).toISOString(),
    source: 'log',
    versions: past.versions,
    gpu: analysis.target?.gpu?.name ?? null,
    metric,
    bytes,
    ...(devices && { devices }),
    terms: null,
    predicted: predicted?.[metric] ?? null,
  }));
}
