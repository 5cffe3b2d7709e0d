import type { SampleHistory } from '../../gpu/fleet';
import { Buckets } from './buckets';
import type { DeviceSeries } from './protocol';

/** A device's past, thinned to what a chart of that length can show. */
export function seriesOf(
  history: SampleHistory,
  device: string,
  windowMs: number,
  nowMs: number,
): DeviceSeries {
  const since = nowMs - windowMs;
  const memory = history.series(device, 'memoryUsedMiB', since);
  const columns = {
    utilPct: history.series(device, 'utilPct', since).values,
    tempC: history.series(device, 'tempC', since).values,
    powerW: history.series(device, 'powerW', since).values,
  };
  const buckets = new Buckets(windowMs);
  memory.timesMs.forEach((time, i) =>
    buckets.add(time, {
      memoryUsedMiB: memory.values[i] ?? NaN,
      utilPct: columns.utilPct[i] ?? NaN,
      tempC: columns.tempC[i] ?? NaN,
      powerW: columns.powerW[i] ?? NaN,
    }),
  );
  return { timesMs: buckets.timesMs, columns: buckets.columns };
}
