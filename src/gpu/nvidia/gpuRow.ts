import type { GpuDevice } from '../device';
import { measuresFrom } from '../sample';
import type { GpuSample, Measure } from '../sample';
import { amountOf, isOfAnother, measureOf } from '../parse/amount';
import type { CsvRow } from './csv';
import { idOf, integerOf, memoryKindOf, reasonsInMask, textOf } from './values';

/** The --query-gpu fields of each measure. Of several, the first with a number counts. */
const FIELDS: Readonly<Partial<Record<Measure, readonly string[]>>> = {
  utilPct: ['utilization.gpu'],
  memBusyPct: ['utilization.memory'],
  memoryUsedMiB: ['memory.used'],
  memoryFreeMiB: ['memory.free'],
  memoryReservedMiB: ['memory.reserved'],
  tempC: ['temperature.gpu'],
  tempMemC: ['temperature.memory'],
  powerW: ['power.draw', 'power.draw.instant'],
  powerInstantW: ['power.draw.instant'],
  powerAvgW: ['power.draw.average'],
  powerLimitW: ['power.limit', 'enforced.power.limit'],
  fanPct: ['fan.speed'],
  clockSmMHz: ['clocks.current.sm'],
  clockMemMHz: ['clocks.current.memory'],
};

/** False where cells are not below their columns: no number is the index, or an amount of memory stands for a share. */
export const isWhole = (row: CsvRow): boolean =>
  (!row.has('index') || integerOf(row.get('index') ?? '') !== null) &&
  Object.entries(FIELDS).every(([measure, fields]) =>
    fields.every(field => !isOfAnother(row.get(field) ?? '', measure as Measure)),
  );

/** The device of a row. `position` replaces an index that was not requested. */
export function deviceOf(row: CsvRow, position: number): GpuDevice {
  const text = (field: string) => textOf(row.get(field) ?? '');
  const index = integerOf(row.get('index') ?? '') ?? position;
  const uuid = idOf(row.get('uuid') ?? '');
  const pciBusId = text('pci.bus_id');
  const migMode = text('mig.mode.current');
  const name = text('name');
  const memoryTotalMiB = amountOf(row.get('memory.total') ?? '', 'MiB');
  return {
    key: uuid ?? pciBusId ?? `nvidia:${index}`,
    vendor: 'nvidia',
    index,
    uuid,
    pciBusId,
    name,
    memoryTotalMiB,
    memoryKind: memoryKindOf(name, memoryTotalMiB),
    driverVersion: text('driver_version'),
    driverModel: text('driver_model.current'),
    ...(row.has('power.max_limit') ? { powerMaxW: amountOf(row.get('power.max_limit') ?? '', 'W') } : {}),
    virtualization: null,
    mig: migMode === null ? null : { enabled: migMode === 'Enabled', instances: [] },
  };
}

/** The measures of a row. */
export function sampleOf(row: CsvRow, key: string, receivedMs: number): GpuSample {
  const measures = measuresFrom(
    measure => (FIELDS[measure] ?? []).flatMap(field => row.get(field) ?? []),
    measureOf,
  );
  return { key, receivedMs, ...measures, pstate: textOf(row.get('pstate') ?? ''), ...throttleOf(row) };
}

/** Both spellings of the field; without it, throttling is unknown. */
function throttleOf(row: CsvRow): Pick<GpuSample, 'throttleMask' | 'throttleReasons'> {
  const mask = row.get('clocks_throttle_reasons.active') ?? row.get('clocks_event_reasons.active');
  if (mask === undefined) return {};
  const reasons = reasonsInMask(mask);
  return { throttleMask: reasons === null ? null : mask.trim(), throttleReasons: reasons };
}
