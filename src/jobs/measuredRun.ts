import type { RunAnalysis } from '../core/analysis';
import { sumsOf } from '../core/learn/correction';
import { featuresOf, rowsOf } from '../core/learn/features';
import type { PredictedSum } from '../core/learn/measurement';
import type { Metric } from '../core/memory/estimate';
import { estimateRun } from '../core/memory/estimateRun';
import type { MeasuredRun } from './measured';

/** `by` is Headroom's version. What was computed is what counts as predicted, not what measurements made of it. */
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
