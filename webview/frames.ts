import type { Prediction } from '../src/core/analyse/prediction';
import type { Charted } from '../src/panel/page/charted';
import type { DeviceCard, DeviceNow } from '../src/panel/page/protocol';
import { plain } from './format';

/** The range of a chart, the label of its top, and the prediction. */
interface Scale {
  readonly min: number;
  readonly max: number;
  /** The label of the top if no value next to the chart shows it; else empty. */
  readonly top: string;
  readonly band: { readonly low: number; readonly middle: number; readonly high: number } | null;
}

/** A prediction far beyond the card's memory is clipped, so that it does not flatten the rest. */
const MOST_BEYOND = 1.5;

/** Headroom above the readings if nothing else determines a chart's height. */
const ROOM = 1.15;

export function scaleOf(
  measure: Charted,
  device: DeviceCard,
  now: DeviceNow | null,
  values: readonly (number | null)[],
  prediction: Prediction | null,
): Scale {
  if (measure === 'utilPct') return silent(100);
  if (measure === 'tempC') return named(measure, Math.max(100, highest(values)));
  if (measure === 'memoryUsedMiB') return memoryScale(device, values, prediction);
  const limit = now?.powerLimitW ?? null;
  return limit === null ? named(measure, Math.max(10, highest(values) * ROOM)) : silent(limit);
}

const silent = (max: number): Scale => ({ min: 0, max, top: '', band: null });

const named = (measure: Charted, max: number): Scale => ({ ...silent(max), top: plain(measure, max) });

function memoryScale(
  { memoryTotalMiB, mig }: DeviceCard,
  values: readonly (number | null)[],
  prediction: Prediction | null,
): Scale {
  const capacity = memoryTotalMiB ?? Math.max(1024, highest(values) * ROOM);
  // A program gets a slice, but the chart is of the whole GPU.
  const predicted = mig === null ? prediction : null;
  const high = predicted?.highMiB ?? 0;
  const max = Math.max(capacity, Math.min(high, capacity * MOST_BEYOND));
  const scale = max === memoryTotalMiB ? silent(max) : named('memoryUsedMiB', max);
  if (predicted === null) return scale;
  return { ...scale, band: { low: predicted.lowMiB, middle: predicted.expectedMiB, high } };
}

const highest = (values: readonly (number | null)[]): number =>
  values.reduce<number>((most, value) => Math.max(most, value ?? 0), 0);
