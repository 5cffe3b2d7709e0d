import type { GpuSource } from '../../../src/core/hardware/match';
import { parseTarget } from '../../../src/core/hardware/target';
import type { Metric } from '../../../src/core/models/terms';
import { gpuCount } from './parallel';
import type { PublishedRecord } from './publishedRecord';
import type { Measured } from './record';

/** A figure that excludes the prompt's pass is the memory held in generation. */
export function measuredIn({
  metric,
  metric_class: words,
}: PublishedRecord): Pick<Measured, 'metric' | 'phase' | 'stage'> {
  if (metric?.includes('prefill transients are NOT in the figure')) {
    return { metric: 'allocated', phase: 'generation' };
  }
  const tool = words === 'unknown' && UNTOLD.test(metric ?? '') ? 'device' : metricOf(words);
  return { metric: tool, ...(metric?.includes('(last rank)') && { stage: 'last' }) };
}

/** If no tool is named, the memory use of a job is assumed to be from nvidia-smi. */
const UNTOLD = /^unknown|tool not stated/;

/**
 * Unspecified torch memory is assumed to be allocated, torch's first number; a script's report is assumed to be
 * reserved.
 */
function metricOf(words: string): Metric {
  if (words === 'torch allocated' || words.startsWith('torch (')) return 'allocated';
  return words.startsWith('device') ? 'device' : 'reserved';
}

const GIB = 2 ** 30;

/** nvidia-smi prints MiB, and people write thousands of them as G. */
const THOUSAND_MIB = 1000 * 2 ** 20;

/** The bytes of a table's unit, by record. */
type Units = (record: PublishedRecord) => number;

/**
 * An unstated unit is GiB, unless a row of the same table shows that it is not: a device figure above the device's
 * size in GiB. The most likely other unit is thousands of MiB, from nvidia-smi.
 */
export function unitsOf(records: readonly PublishedRecord[], gpus: GpuSource): Units {
  const refuted = new Set(records.filter(record => exceedsDevice(record, gpus)).map(({ group }) => group));
  return record => (record.unit_ambiguous === true && refuted.has(record.group) ? THOUSAND_MIB : GIB);
}

function exceedsDevice(record: PublishedRecord, gpus: GpuSource): boolean {
  const { unit_ambiguous: isUnclear, scope, gpu_name: name, measured_gib_best: amount } = record;
  if (isUnclear !== true || measuredIn(record).metric !== 'device') return false;
  const devices = scope.startsWith('sum') ? gpuCount(record) : 1;
  const reading = parseTarget(name, gpus, { count: 1, nodes: 1 });
  return devices !== null && reading.ok && (amount / devices) * 1024 > reading.target.totalMiB;
}
