import type { RunAnalysis } from '../rules/analysis';
import type { Metric } from '../models/terms';
import { estimateRun } from '../memory/estimateRun';
import { sumsOf } from '../learn/correction';
import { featuresOf, rowsOf } from '../learn/features';
import type { Measurement, PredictedSum } from '../learn/measurement';

/** The facts that a measurement stores next to its peak; known from the analysis, and kept with the job. */
export type MeasuredRun = Pick<
  Measurement,
  'config' | 'framework' | 'frameworkVersion' | 'family' | 'features' | 'rows'
> & { readonly predicted: Readonly<Record<Metric, PredictedSum>> | null };

/** `by` is Headroom's version. The predicted amount is the computed one, without corrections. */
export function measuredRun({ run, model, target }: RunAnalysis, by: string): MeasuredRun {
  const computed = estimateRun(run, model, target);
  const device = computed.ok ? computed.estimate.devices[0] : undefined;
  const terms = device ? sumsOf(device.terms) : {};
  const sum = (metric: Metric): PredictedSum => {
    return { metric, bytes: Math.round(device?.[metric].expected ?? 0), terms, by };
  };
  return {
    config: run.sources[0]?.path ?? '',
    framework: run.framework.name,
    frameworkVersion: run.framework.version,
    family: model?.described ? null : (model?.modelType ?? null),
    features: featuresOf(run),
    rows: rowsOf(run),
    predicted: device
      ? { device: sum('device'), reserved: sum('reserved'), allocated: sum('allocated') }
      : null,
  };
}
