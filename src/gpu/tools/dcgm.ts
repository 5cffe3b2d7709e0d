import { unknownDevice } from '../device';
import type { GpuDevice } from '../device';
import { countOf, wordsOf } from '../parse/amount';
import { readingOf, shown } from '../parse/reading';
import type { MeasureTexts, Shown } from '../parse/reading';
import { Problems } from '../problems';
import type { Measure } from '../sample';
import { ONE_SHOT } from '../tool';
import type { GpuTool, ToolReading } from '../tool';

const problems = new Problems('dcgmi', [
  ['driver-not-loaded', /unable to establish a connection|Host engine is not running/i],
]);

/** NVIDIA's Data Center GPU Manager, read where its output is pasted: `dcgmi dmon` and the exporter's metrics. */
export const dcgm: GpuTool = {
  ...ONE_SHOT,
  id: 'dcgmi',
  vendor: 'nvidia',
  executables: () => [],
  query: () => ['dmon'],
  ...problems.reads(readMetrics, readDmon),
};

/** The fields by their names in `dcgm_fields.h`, without `DCGM_FI_DEV_`, and in the columns of `dmon`. */
const FIELDS: readonly (readonly [name: string, column: string, measure: Measure])[] = [
  ['GPU_UTIL', 'GPUTL', 'utilPct'],
  ['MEM_COPY_UTIL', 'MCUTL', 'memBusyPct'],
  ['FB_USED', 'FBUSD', 'memoryUsedMiB'],
  ['FB_FREE', 'FBFRE', 'memoryFreeMiB'],
  ['FB_RESERVED', 'FBRSV', 'memoryReservedMiB'],
  ['GPU_TEMP', 'TMPTR', 'tempC'],
  ['MEMORY_TEMP', 'MMTMP', 'tempMemC'],
  ['POWER_USAGE', 'POWER', 'powerW'],
  ['POWER_MGMT_LIMIT', 'PMLMT', 'powerLimitW'],
  ['FAN_SPEED', 'FANSP', 'fanPct'],
  ['SM_CLOCK', 'SMCLK', 'clockSmMHz'],
  ['MEM_CLOCK', 'MMCLK', 'clockMemMHz'],
];
const byName = new Map(FIELDS.map(([name, , measure]) => [name, measure]));
const byColumn = new Map(FIELDS.map(([, column, measure]) => [column, measure]));

/** What is known of one GPU so far. */
interface Known {
  readonly labels: ReadonlyMap<string, string>;
  readonly texts: Map<Measure, string>;
  total: string | null;
}

const textsOf = (texts: ReadonlyMap<Measure, string>): MeasureTexts =>
  Object.fromEntries([...texts].map(([measure, text]) => [measure, [text]]));

/** A metric of the exporter; DCGM marks what it does not know by a number near 2^63. */
const METRIC = /^DCGM_FI_DEV_([A-Z_]{1,40})\{([^{}\n]{1,2000})\} ([\d.eE+-]{1,24})(?: \d{1,16})?\s*$/;
const LABEL = /(?<![A-Za-z_])([A-Za-z_]{1,40})="([^"\n]{0,200})"/g;
const BLANK = 1e15;

function readMetrics(text: string, receivedMs: number): ToolReading {
  const gpus = new Map<string, Known>();
  for (const line of text.split(/\r?\n/)) {
    const [, name = '', words = '', value = ''] = METRIC.exec(line.trim().slice(0, 2200)) ?? [];
    const labels = new Map([...words.matchAll(LABEL)].map(([, label = '', said = '']) => [label, said]));
    // A MIG instance has its share of the memory, and is not the GPU.
    if (!labels.has('gpu') || labels.has('GPU_I_ID') || Number(value) >= BLANK) continue;
    // The lines of one GPU may be copied with more or fewer labels.
    const key = labels.get('UUID') ?? ['Hostname', 'gpu'].map(label => labels.get(label)).join(' ');
    const known = gpus.get(key) ?? { labels, texts: new Map<Measure, string>(), total: null };
    gpus.set(key, known);
    add(known, name, value);
  }
  return together([...gpus.values()].map((known, at) => metricGpu(known, at, receivedMs)));
}

function add(known: Known, name: string, value: string): void {
  const measure = byName.get(name);
  // A card without a sensor in its memory reports 0 °C.
  const isNone = measure === 'tempMemC' && Number(value) === 0;
  if (name === 'FB_TOTAL') known.total = value;
  else if (measure !== undefined && !isNone) known.texts.set(measure, value);
}

function metricGpu({ labels, texts, total }: Known, at: number, receivedMs: number): Shown {
  const index = countOf(labels.get('gpu')) ?? at;
  const uuid = wordsOf(labels.get('UUID'));
  const node = wordsOf(labels.get('Hostname'));
  const device = unknownDevice({
    key: uuid ?? `nvidia:${index}`,
    vendor: 'nvidia',
    index,
    uuid,
    name: wordsOf(labels.get('modelName')),
    pciBusId: wordsOf(labels.get('pci_bus_id')),
    driverVersion: wordsOf(labels.get('DCGM_FI_DRIVER_VERSION')),
    memoryTotalMiB: wholeOf(texts, total),
    ...(node !== null && { node }),
  });
  return shown(dedicated(device), textsOf(texts), receivedMs);
}

const dedicated = (device: GpuDevice): GpuDevice =>
  device.memoryTotalMiB === null ? device : { ...device, memoryKind: 'dedicated' };

/** All memory: stated, or the sum of its three parts. Without the reserved part, it is unknown. */
function wholeOf(texts: ReadonlyMap<Measure, string>, total: string | null): number | null {
  if (total !== null) return countOf(total);
  const parts = (['memoryUsedMiB', 'memoryFreeMiB', 'memoryReservedMiB'] as const).map(measure =>
    countOf(texts.get(measure)),
  );
  return parts.reduce<number | null>((sum, part) => (sum === null || part === null ? null : sum + part), 0);
}

const together = (all: readonly Shown[]): ToolReading =>
  readingOf(all, { driverVersion: all[0]?.device.driverVersion ?? null });

/** `dcgmi dmon`: columns by their header, one row a GPU and tick. */
function readDmon(text: string, receivedMs: number): ToolReading {
  let columns: readonly string[] = [];
  const all: Shown[] = [];
  for (const line of text.split(/\r?\n/)) {
    const [first = '', index = '', ...cells] = line.trim().slice(0, 2000).split(/\s+/);
    if (/^#?Entity$/.test(first)) columns = [index, ...cells];
    else if (first === 'GPU' && /^\d{1,4}$/.test(index) && cells.length === columns.length) {
      all.push(dmonGpu(Number(index), columns, cells, receivedMs));
    }
  }
  return readingOf(all);
}

function dmonGpu(
  index: number,
  columns: readonly string[],
  cells: readonly string[],
  receivedMs: number,
): Shown {
  const texts = new Map<Measure, string>();
  for (const [at, column] of columns.entries()) {
    const measure = byColumn.get(column);
    if (measure !== undefined) texts.set(measure, cells[at] ?? '');
  }
  const total = cells[columns.indexOf('FBTTL')] ?? null;
  const known = { key: `nvidia:${index}`, vendor: 'nvidia' as const, index };
  const device = unknownDevice({ ...known, memoryTotalMiB: wholeOf(texts, total) });
  return shown(dedicated(device), textsOf(texts), receivedMs);
}
