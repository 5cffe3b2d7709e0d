import type { Prediction } from '../src/core/prediction';
import type { Charted } from '../src/panel/page/charted';
import type { DeviceCard, DeviceNow } from '../src/panel/page/protocol';
import { plain } from './format';

/** Limits of a chart, what the limit is called, and what is predicted. */
export interface Scale {
  readonly min: number;
  readonly max: number;
  /** `24 GB`, `100 %`: what the top stands for. */
  readonly top: string;
  readonly band: { readonly low: number; readonly middle: number; readonly high: number } | null;
}

/** A prediction far beyond the card is drawn at the top: it must not press the rest to the ground. */
const MOST_BEYOND = 1.5;

/** Some room above what was read, where nothing else says how high a chart goes. */
const ROOM = 1.15;

export function scaleOf(
  measure: Charted,
  device: DeviceCard,
  now: DeviceNow | null,
  values: readonly (number | null)[],
  prediction: Prediction | null,
): Scale {
  if (measure === 'utilPct') return fixed(measure, 100);
  if (measure === 'tempC') return fixed(measure, Math.max(100, highest(values)));
  if (measure === 'powerW') return fixed(measure, now?.powerLimitW ?? Math.max(10, highest(values) * ROOM));
  return memoryScale(device, values, prediction);
}

const fixed = (measure: Charted, max: number): Scale => ({ min: 0, max, top: plain(measure, max), band: null });

function memoryScale(
  { memoryTotalMiB }: DeviceCard,
  values: readonly (number | null)[],
  prediction: Prediction | null,
): Scale {
  const capacity = memoryTotalMiB ?? Math.max(1024, highest(values) * ROOM);
  if (prediction === null) return fixed('memoryUsedMiB', capacity);
  const { lowMiB: low, expectedMiB: middle, highMiB: high } = prediction;
  const max = Math.max(capacity, Math.min(high, capacity * MOST_BEYOND));
  return { min: 0, max, top: plain('memoryUsedMiB', max), band: { low, middle, high } };
}

const highest = (values: readonly (number | null)[]): number =>
  values.reduce<number>((most, value) => Math.max(most, value ?? 0), 0);
