import { unknownDevice } from '../device';
import type { GpuDevice } from '../device';
import { amountOf, countOf, wordsOf } from '../parse/amount';
import { isList, isObject, leafText, valueAt } from '../parse/json';
import type { Json, JsonObject } from '../parse/json';
import { shown } from '../parse/reading';
import type { MeasureTexts, Shown } from '../parse/reading';
import { MEASURES, unknownProcess } from '../sample';
import type { GpuProcess, GpuSample } from '../sample';
import { COLUMNS } from './smiCsv';
import { AMD_SMI_PLACES, AMD_SMI_POWER_MAX, AMD_SMI_TOTAL } from './places';

/** amd-smi's entry for each GPU: elements of a list, since 7.0 below `gpu_data`. */
export function entriesOf(values: readonly Json[]): readonly JsonObject[] {
  return values.flatMap(value => {
    if (isList(value)) return entriesOf(value);
    if (!isObject(value)) return [];
    const inner = valueAt(value, 'gpu_data');
    if (isList(inner)) return entriesOf(inner);
    return indexOf(value) === null ? [] : [value];
  });
}

const indexOf = (entry: JsonObject): number | null => countOf(leafText(valueAt(entry, 'gpu')));

/** Keys of entries about processes only. */
const PROCESS_KEYS = ['process_list', 'process_info'];

export function isProcessEntry(entry: JsonObject): boolean {
  return [...PROCESS_KEYS, 'pid'].some(key => valueAt(entry, key) !== undefined);
}

type Places = readonly (readonly string[])[];

/**
 * The name of a path in `--csv`, whose rows have no sections: `power/socket_power` is `socket_power`. Null for a limit
 * that only its section tells from what is measured.
 */
function columnOf([section, ...path]: readonly string[]): string | null {
  const name = path.join('_');
  return name === '' || (section === 'limit' && !name.includes('limit')) ? null : name;
}

/** Texts by their paths, or by their columns in a row of `--csv`. */
const textsAt = (entry: JsonObject, places: Places): readonly string[] =>
  places.flatMap(path => {
    const column = columnOf(path);
    const inRow = column === null ? undefined : valueAt(entry, COLUMNS, column);
    return leafText(valueAt(entry, ...path)) ?? leafText(inRow) ?? [];
  });

const wordsAt = (entry: JsonObject, ...places: Places): string | null =>
  textsAt(entry, places)
    .map(wordsOf)
    .find(words => words !== null) ?? null;

/** A GPU of `amd-smi metric`, `static` or `list`. */
export function shownIn(entry: JsonObject, position: number, receivedMs: number): Shown {
  const texts: MeasureTexts = Object.fromEntries(
    MEASURES.map(measure => [measure, textsAt(entry, AMD_SMI_PLACES[measure] ?? [])]),
  );
  return shown(deviceOf(entry, indexOf(entry) ?? position), texts, receivedMs, throttleOf(entry));
}

function deviceOf(entry: JsonObject, index: number): GpuDevice {
  const uuid = wordsAt(entry, ['uuid']);
  const pciBusId = wordsAt(entry, ['bus', 'bdf'], ['bdf']);
  const partition = wordsAt(entry, ['partition', 'compute_partition'], ['partition', 'accelerator_type']);
  const partitionId = wordsAt(entry, ['partition', 'partition_id']);
  const total = firstAmount(entry, AMD_SMI_TOTAL, 'MiB');
  const units = wordsAt(entry, ['asic', 'num_compute_units']);
  return unknownDevice({
    key: uuid ?? keyOfPlace(pciBusId, partitionId) ?? `amd:${index}`,
    vendor: 'amd',
    index,
    uuid,
    pciBusId,
    name: nameOf(wordsAt(entry, ['asic', 'market_name'])),
    memoryTotalMiB: total,
    memoryKind: total === null ? 'unknown' : 'dedicated',
    driverVersion: wordsAt(entry, ['driver', 'driver_version'], ['driver', 'version']),
    powerMaxW: firstAmount(entry, AMD_SMI_POWER_MAX, 'W'),
    computePartition: partition,
    coreCount: countOf(units),
  });
}

/** Partitions of one card share its PCI address. */
function keyOfPlace(pciBusId: string | null, partition: string | null): string | null {
  return pciBusId === null || partition === null || partition === '0' ? pciBusId : `${pciBusId}/${partition}`;
}

/** A name; a numeric code does not count as one. */
export function nameOf(text: string | null): string | null {
  return text === null || /^0x[0-9a-f]+$/i.test(text) ? null : text;
}

function firstAmount(entry: JsonObject, places: Places, quantity: 'MiB' | 'W'): number | null {
  return (
    textsAt(entry, places)
      .map(text => amountOf(text, quantity))
      .find(value => value !== null) ?? null
  );
}

/** The meaning of the violations in `throttle`. */
const VIOLATIONS: Readonly<Record<string, string>> = {
  prochot: 'processor too hot',
  ppt: 'power limit',
  socket_thermal: 'socket temperature',
  vr_thermal: 'voltage regulator temperature',
  hbm_thermal: 'memory temperature',
};

function throttleOf(entry: JsonObject): Partial<GpuSample> {
  const status = wordsAt(entry, ['power', 'throttle_status'])?.toUpperCase();
  const violations = Object.entries(VIOLATIONS).flatMap(([name, words]) => {
    const text = wordsAt(entry, ['throttle', `${name}_violation_status`]);
    return text === null ? [] : [{ words, isActive: text.toUpperCase() === 'ACTIVE' }];
  });
  if (violations.length > 0) {
    return { throttleReasons: violations.filter(({ isActive }) => isActive).map(({ words }) => words) };
  }
  if (status === 'THROTTLED') return { throttleReasons: ['throttled'] };
  return status === 'UNTHROTTLED' ? { throttleReasons: [] } : {};
}

/** Processes of `amd-smi process`. If there are none, a sentence replaces the list. */
export function processesIn(entry: JsonObject, position: number): readonly GpuProcess[] {
  const list = PROCESS_KEYS.map(key => valueAt(entry, key)).find(isList);
  const single = valueAt(entry, 'pid') === undefined ? valueAt(entry, 'process_info') : entry;
  const all = list ?? (isObject(single) ? [single] : []);
  return all.flatMap(item => processOf(item, indexOf(entry) ?? position));
}

function processOf(item: Json, gpuIndex: number): readonly GpuProcess[] {
  const info = isObject(valueAt(item, 'process_info')) ? valueAt(item, 'process_info') : item;
  if (!isObject(info)) return [];
  const pid = countOf(leafText(valueAt(info, 'pid')));
  if (pid === null) return [];
  // The total next to that section includes other memory, and is often zero.
  const isInSection = isObject(valueAt(info, 'memory_usage')) || valueAt(info, 'vram_mem') !== undefined;
  const own = [['memory_usage', 'vram_mem'], ['vram_mem']];
  const memory = isInSection ? own : [['mem_usage'], ['mem']];
  return [
    unknownProcess({
      pid,
      name: wordsAt(info, ['name']),
      memoryUsedMiB: firstBytes(info, memory),
      gpuIndex,
    }),
  ];
}

/** Memory of a process: in bytes if it has no unit. */
function firstBytes(info: JsonObject, places: Places): number | null {
  return (
    textsAt(info, places)
      .map(text => amountOf(text, 'MiB', 'B'))
      .find(value => value !== null) ?? null
  );
}
