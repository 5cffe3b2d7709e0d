import { unknownDevice } from '../device';
import { amountOf, countOf, wordsOf } from '../parse/amount';
import { cellsOf, rowBy } from '../parse/text';
import { isList, isObject, jsonValues, leafText, valueAt } from '../parse/json';
import type { Json } from '../parse/json';
import { readingOf, shown } from '../parse/reading';
import type { MeasureTexts, Shown } from '../parse/reading';
import { unknownProcess } from '../sample';
import type { EngineLoad, GpuProcess, Measure } from '../sample';
import type { StreamReader, ToolReading } from '../tool';

/**
 * Columns of `dump` and rows of `stats` without their units, which changed between 1.0 and 1.3. Since 2.0 a dump names them as
 * nvidia-smi does, but `utilization.memory` is the share in use.
 */
const NAMES: Readonly<Record<string, Measure>> = {
  'Average % utilization of all GPU Engines': 'utilPct',
  'GPU Utilization': 'utilPct',
  'utilization.gpu': 'utilPct',
  'GPU Power': 'powerW',
  'power.draw': 'powerW',
  'power.limit': 'powerLimitW',
  'GPU Frequency': 'clockSmMHz',
  'clocks.current.graphics': 'clockSmMHz',
  'GPU Core Temperature': 'tempC',
  'temperature.gpu': 'tempC',
  'GPU Memory Temperature': 'tempMemC',
  'temperature.memory': 'tempMemC',
  'GPU Memory Used': 'memoryUsedMiB',
  'memory.used': 'memoryUsedMiB',
  'memory.free': 'memoryFreeMiB',
  'GPU Memory Utilization': 'memoryUsedPct',
  'GPU Memory Util': 'memoryUsedPct',
  'utilization.memory': 'memoryUsedPct',
  'fan.speed': 'fanPct',
};

const withoutUnit = (name: string): string => name.replace(/ ?\([^()]{1,20}\)$/, '');

/** Types of `stats -j`. */
const TYPES: Readonly<Record<string, Measure>> = {
  XPUM_STATS_GPU_UTILIZATION: 'utilPct',
  XPUM_STATS_POWER: 'powerW',
  XPUM_STATS_GPU_FREQUENCY: 'clockSmMHz',
  XPUM_STATS_GPU_CORE_TEMPERATURE: 'tempC',
  XPUM_STATS_MEMORY_TEMPERATURE: 'tempMemC',
  XPUM_STATS_MEMORY_USED: 'memoryUsedMiB',
  XPUM_STATS_MEMORY_UTILIZATION: 'memoryUsedPct',
};

type Values = ReadonlyMap<string, string>;

function shownOf(index: number, values: Values, receivedMs: number, names = NAMES): Shown {
  const texts: MeasureTexts = Object.fromEntries(
    [...values].flatMap(([name, value]) => {
      const measure = names[withoutUnit(name)];
      return measure === undefined ? [] : [[measure, [value]] as const];
    }),
  );
  const device = unknownDevice({ key: `intel:${index}`, vendor: 'intel', index });
  return shown(device, texts, receivedMs, enginesIn(values));
}

/** `Compute Engine Util (%)` in a table, `3D Engine (%)` in a dump. */
const ENGINE = /^(.*?) [Ee]ngine(?: Util| \d+)? ?\(%\)$/;

function enginesIn(values: Values): { readonly engines?: readonly EngineLoad[] } {
  const engines = [...values].flatMap(([name, value]) => {
    const engine = ENGINE.exec(name)?.[1];
    // One value, or a total before those of each engine: `0; Engine 0: 0`.
    const busyPct = amountOf(value.split(';')[0] ?? '', 'Pct');
    return engine === undefined || busyPct === null ? [] : [{ name: engine, busyPct }];
  });
  return engines.length > 0 ? { engines } : {};
}

/** Columns of `dump` by their number in `-m`; from 21 on there is one per engine or link of the card. */
const NUMBERED: readonly string[] = [
  'GPU Utilization (%)',
  'GPU Power (W)',
  'GPU Frequency (MHz)',
  'GPU Core Temperature (Celsius Degree)',
  'GPU Memory Temperature (Celsius Degree)',
  'GPU Memory Utilization (%)',
  'GPU Memory Read (kB/s)',
  'GPU Memory Write (kB/s)',
  'GPU Energy Consumed (J)',
  'GPU EU Array Active (%)',
  'GPU EU Array Stall (%)',
  'GPU EU Array Idle (%)',
  'Reset Counter',
  'Programming Errors',
  'Driver Errors',
  'Cache Errors Correctable',
  'Cache Errors Uncorrectable',
  'GPU Memory Bandwidth Utilization (%)',
  'GPU Memory Used (MiB)',
  'PCIe Read (kB/s)',
  'PCIe Write (kB/s)',
];

/** The requested columns of a dump; empty if one of them is unknown. */
function requestedColumns(args: readonly string[]): readonly string[] {
  const at = args.findIndex(arg => arg === '-m' || arg === '--metrics');
  const names = at < 0 ? [] : (args[at + 1] ?? '').split(',').map(number => NUMBERED[Number(number)]);
  const known = names.flatMap(name => name ?? []);
  return known.length === 0 || known.length < names.length ? [] : ['Timestamp', 'DeviceId', ...known];
}

/** Rows of `xpu-smi dump`: CSV with a single header, which is missing in a stream that was joined later. */
class DumpLines {
  private names: readonly string[];

  constructor(args: readonly string[]) {
    this.names = requestedColumns(args);
  }

  row(line: string, receivedMs: number): Shown | null {
    // Since 2.0, columns are padded on a terminal.
    const cells = line.includes(',') ? line.split(',').map(cell => cell.trim()) : cellsOf(line);
    if (cells[0] === 'Timestamp') {
      this.names = cells;
      return null;
    }
    const row = rowBy(this.names, cells);
    const index = countOf(row?.get('DeviceId'));
    // A row with decimal commas that lost its start may have as many cells.
    const isWhole = /\d:\d\d/.test(row?.get('Timestamp') ?? '');
    return row === null || !isWhole || index === null ? null : shownOf(index, row, receivedMs);
  }
}

export function readDump(args: readonly string[], text: string, receivedMs: number): ToolReading {
  const lines = new DumpLines(args);
  const rows = text.split(/\r?\n/).flatMap(line => lines.row(line, receivedMs) ?? []);
  return readingOf(rows.length > 0 ? rows : jsonValues(text).flatMap(value => dumpedIn(value, receivedMs)));
}

/** A line of `dump -j`, since 2.0. */
function dumpedIn(value: Json, receivedMs: number): readonly Shown[] {
  const index = countOf(leafText(valueAt(value, 'device')));
  const metrics = valueAt(value, 'metrics');
  if (index === null || !isObject(metrics)) return [];
  const values = Object.entries(metrics).map(([name, leaf]) => [name, leafText(leaf) ?? ''] as const);
  return [shownOf(index, new Map(values), receivedMs)];
}

/**
 * Rows of a continuous dump, grouped into ticks. Devices come in order: a tick ends when the next device is not
 * after the last one, or when all have appeared.
 */
export class DumpStream implements StreamReader {
  private readonly lines: DumpLines;
  private gathered: Shown[] = [];

  constructor(
    args: readonly string[],
    private readonly expected: number,
  ) {
    this.lines = new DumpLines(args);
  }

  line(text: string, receivedMs: number): readonly ToolReading[] {
    const row = this.lines.row(text, receivedMs);
    if (!row) return [];
    const isNext = (this.gathered.at(-1)?.device.index ?? -1) >= row.device.index;
    const before = isNext ? [this.complete()] : [];
    this.gathered.push(row);
    return this.gathered.length >= this.expected ? [...before, this.complete()] : before;
  }

  private complete(): ToolReading {
    const all = this.gathered;
    this.gathered = [];
    return readingOf(all);
  }
}

/** Output of `xpu-smi stats`: a table per device, whose names may span two lines. */
export function readStats(text: string, receivedMs: number): ToolReading {
  const all: Map<string, string>[] = [];
  let last = '';
  for (const line of text.split(/\r?\n/)) {
    const [, name, value] = /^\|([^|]*)\|([^|]*)\|\s*$/.exec(line)?.map(cell => cell.trim()) ?? [];
    const begun = begins(name, all.length === 0);
    if (begun) all.push(begun);
    const values = all.at(-1);
    if (name === undefined || value === undefined || values === undefined) last = '';
    else if (last !== '' && value === '' && /^[a-z]/.test(name)) {
      values.set(`${last} ${name}`, values.get(last) ?? '');
    } else if (last !== '' && name === '' && TILE.test(value)) values.set(last, '');
    else {
      last = name;
      values.set(last, ofOneTile(value));
    }
  }
  return readingOf(
    all.flatMap(values => {
      const index = countOf(values.get('Device ID'));
      return index === null ? [] : [shownOf(index, values, receivedMs)];
    }),
  );
}

/** What a row begins. A table whose upper part was cut off is of the first device that is shown. */
function begins(name: string | undefined, isFirst: boolean): Map<string, string> | null {
  if (name === 'Device ID') return new Map();
  const isCut = isFirst && name !== undefined && NAMES[withoutUnit(name)] !== undefined;
  return isCut ? new Map([['Device ID', '0']]) : null;
}

const TILE = /^(?:Tile|Fan) \d+: /;

/** `Tile 0: avg: 41, min: 40, max: 42, current: 41`, since 2.0. Of several tiles, none is the device's. */
function ofOneTile(value: string): string {
  const own = value.replace(TILE, '');
  return /\bcurrent: ([\d.]+)/.exec(own)?.[1] ?? own;
}

/** Output of `xpu-smi stats -j`. */
export function readStatsJson(values: readonly Json[], receivedMs: number): ToolReading {
  const all = values.flatMap(value => {
    const level = valueAt(value, 'device_level');
    const index = countOf(leafText(valueAt(value, 'device_id')));
    if (!isList(level) || index === null) return statsIn(value, receivedMs);
    const pairs = level.map(entry => [
      leafText(valueAt(entry, 'metrics_type')) ?? '',
      leafText(valueAt(entry, 'value')) ?? leafText(valueAt(entry, 'avg')) ?? '',
    ]);
    return [shownOf(index, new Map(pairs as [string, string][]), receivedMs, TYPES)];
  });
  return readingOf(all);
}

/** Places of a device's statistics since 2.0, which are by tile. */
const PLACES: Readonly<Partial<Record<Measure, readonly string[]>>> = {
  utilPct: ['utilization', 'gpu_percent'],
  powerW: ['power', 'gpu_power_w'],
  clockSmMHz: ['frequency', 'gpu_frequency_mhz'],
  tempC: ['temperature', 'gpu_core_celsius'],
  tempMemC: ['temperature', 'memory_celsius'],
  memoryUsedMiB: ['memory', 'used_mib'],
  memoryUsedPct: ['memory', 'util_percent'],
  fanPct: ['fan', 'speed_percent'],
};

function statsIn(value: Json, receivedMs: number): readonly Shown[] {
  const list = valueAt(value, 'device_list') ?? valueAt(value, 'devices');
  if (isList(list)) return list.flatMap(one => statsIn(one, receivedMs));
  const index = countOf(leafText(valueAt(value, 'device_index')));
  if (index === null) return [];
  const texts = Object.entries(PLACES).map(([measure, path]) => {
    const tiles = valueAt(value, ...path);
    const [only, ...others] = isObject(tiles) ? Object.values(tiles) : [];
    const text = leafText(valueAt(only, 'current')) ?? leafText(only);
    return [measure, others.length === 0 ? [text] : []] as const;
  });
  const pciBusId = wordsOf(leafText(valueAt(value, 'pci_bdf')));
  const device = unknownDevice({ key: pciBusId ?? `intel:${index}`, vendor: 'intel', index, pciBusId });
  return [shown(device, Object.fromEntries(texts), receivedMs)];
}

/** Output of `xpu-smi ps`: memory in KB. */
export function readPs(text: string): readonly GpuProcess[] {
  let names: readonly string[] = [];
  return text.split(/\r?\n/).flatMap(line => {
    const cells = cellsOf(line);
    if (cells[0] === 'PID') names = cells;
    const row = rowBy(names, cells);
    return row === null
      ? []
      : processOf(row.get('PID'), row.get('Command'), row.get('DeviceID'), row.get('MEM'));
  });
}

/** Output of `xpu-smi ps -j`. */
export function readPsJson(values: readonly Json[]): readonly GpuProcess[] {
  return values.flatMap(value => {
    const list = isObject(value) ? Object.values(value).find(isList) : value;
    if (!isList(list)) return [];
    return list.flatMap(entry => {
      const text = (key: string): string | undefined => leafText(valueAt(entry, key));
      return processOf(text('process_id'), text('process_name'), text('device_id'), text('mem_size'));
    });
  });
}

function processOf(
  pidText: string | undefined,
  name: string | undefined,
  device: string | undefined,
  memory: string | undefined,
): readonly GpuProcess[] {
  const pid = countOf(pidText);
  if (pid === null) return [];
  return [
    unknownProcess({
      pid,
      name: wordsOf(name),
      memoryUsedMiB: amountOf(memory ?? '', 'MiB', 'KB'),
      gpuIndex: countOf(device),
    }),
  ];
}
