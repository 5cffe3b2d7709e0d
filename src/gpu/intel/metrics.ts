import { unknownDevice } from '../device';
import { amountOf, countOf, wordsOf } from '../parse/amount';
import { cellsOf, rowBy } from '../parse/text';
import { isList, isObject, leafText, valueAt } from '../parse/json';
import type { Json } from '../parse/json';
import { readingOf, shown } from '../parse/reading';
import type { MeasureTexts, Shown } from '../parse/reading';
import type { EngineLoad, GpuProcess, Measure } from '../sample';
import type { StreamReader, ToolReading } from '../tool';

/** Columns of `dump` and rows of `stats`, whose names changed between 1.0 and 1.3. */
const NAMES: Readonly<Record<string, Measure>> = {
  'Average % utilization of all GPU Engines': 'utilPct',
  'GPU Utilization (%)': 'utilPct',
  'GPU Power (W)': 'powerW',
  'GPU Frequency (MHz)': 'clockSmMHz',
  'GPU Core Temperature (C)': 'tempC',
  'GPU Core Temperature (°C)': 'tempC',
  'GPU Core Temperature (Celsius Degree)': 'tempC',
  'GPU Memory Temperature (C)': 'tempMemC',
  'GPU Memory Temperature (°C)': 'tempMemC',
  'GPU Memory Temperature (Celsius Degree)': 'tempMemC',
  'GPU Memory Used (MiB)': 'memoryUsedMiB',
  'GPU Memory Utilization (%)': 'memoryUsedPct',
  'GPU Memory Util (%)': 'memoryUsedPct',
};

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
      const measure = names[name];
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
export class DumpLines {
  private names: readonly string[];

  constructor(args: readonly string[]) {
    this.names = requestedColumns(args);
  }

  row(line: string, receivedMs: number): Shown | null {
    const cells = line.split(',').map(cell => cell.trim());
    if (cells[0] === 'Timestamp') {
      this.names = cells;
      return null;
    }
    const row = rowBy(this.names, cells);
    const index = countOf(row?.get('DeviceId'));
    return row === null || index === null ? null : shownOf(index, row, receivedMs);
  }
}

export function readDump(args: readonly string[], text: string, receivedMs: number): ToolReading {
  const lines = new DumpLines(args);
  return readingOf(text.split(/\r?\n/).flatMap(line => lines.row(line, receivedMs) ?? []));
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

/** Output of `xpu-smi stats`: a table of one device, whose names may span two lines. */
export function readStats(text: string, receivedMs: number): ToolReading {
  const values = new Map<string, string>();
  let last = '';
  for (const line of text.split(/\r?\n/)) {
    const [, name, value] = /^\| (.{27}) \| (.*?)\s*\|\s*$/.exec(line) ?? [];
    if (name === undefined || value === undefined) {
      last = '';
    } else if (last !== '' && value === '' && /^[a-z]/.test(name)) {
      values.set(`${last} ${name.trim()}`, values.get(last) ?? '');
    } else {
      last = name.trim();
      values.set(last, value);
    }
  }
  const index = countOf(values.get('Device ID'));
  return readingOf(index === null ? [] : [shownOf(index, values, receivedMs)]);
}

/** Output of `xpu-smi stats -j`. */
export function readStatsJson(values: readonly Json[], receivedMs: number): ToolReading {
  const all = values.flatMap(value => {
    const level = valueAt(value, 'device_level');
    const index = countOf(leafText(valueAt(value, 'device_id')));
    if (!isList(level) || index === null) return [];
    const pairs = level.map(entry => [
      leafText(valueAt(entry, 'metrics_type')) ?? '',
      leafText(valueAt(entry, 'value')) ?? leafText(valueAt(entry, 'avg')) ?? '',
    ]);
    return [shownOf(index, new Map(pairs as [string, string][]), receivedMs, TYPES)];
  });
  return readingOf(all);
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
    {
      pid,
      name: wordsOf(name),
      memoryUsedMiB: amountOf(memory ?? '', 'MiB', 'KB'),
      type: null,
      gpuIndex: countOf(device),
      gpuUuid: null,
      pciBusId: null,
      gpuInstanceId: null,
      computeInstanceId: null,
    },
  ];
}
