import type { RunAnalysis } from '../core/rules/analysis';
import { sumsOf } from '../core/learn/correction';
import { featuresOf, rowsOf } from '../core/learn/features';
import type { Measurement, MeasurementSource, PredictedSum } from '../core/learn/measurement';
import type { Metric, TermName } from '../core/models/terms';

/** A peak that is not yet assigned to a run. */
interface Taken {
  readonly source: MeasurementSource;
  readonly at: Date;
  readonly metric: Metric;
  readonly bytes: number;
  readonly terms: Readonly<Partial<Record<TermName, number>>> | null;
  readonly versions: Readonly<Record<string, string>>;
  /** The catalog's name of the GPU; null: none, or unknown. */
  readonly gpu: string | null;
  /** Headroom's version. */
  readonly by: string;
}

/** The line of `measurements.jsonl` for a measured run. `computed`: the analysis without measurements. */
export function measurementOf(computed: RunAnalysis, taken: Taken): Measurement {
  const { run, model } = computed;
  return {
    schema: 'headroom-measurement/1',
    at: taken.at.toISOString(),
    source: taken.source,
    config: run.sources[0]?.path ?? '',
    framework: run.framework.name,
    frameworkVersion: run.framework.version,
    versions: taken.versions,
    family: model?.described ? null : (model?.modelType ?? null),
    gpu: taken.gpu,
    features: featuresOf(run),
    rows: rowsOf(run),
    metric: taken.metric,
    bytes: taken.bytes,
    terms: taken.terms,
    predicted: predictedOf(computed, taken),
  };
}

function predictedOf({ estimate }: RunAnalysis, { metric, by }: Taken): PredictedSum | null {
  const device = estimate?.devices[0];
  if (!device) return null;
  return { metric, bytes: Math.round(device[metric].expected), terms: rounded(sumsOf(device.terms)), by };
}

const rounded = (sums: Readonly<Partial<Record<TermName, number>>>): Partial<Record<TermName, number>> =>
  Object.fromEntries(Object.entries(sums).map(([term, bytes]) => [term, Math.round(bytes)]));
