import { unknownDevice } from '../device';
import { amountOf, countOf, wordsOf } from '../parse/amount';
import { cellsOf, rowBy } from '../parse/text';
import { readingOf, shown } from '../parse/reading';
import type { MeasureTexts, Shown } from '../parse/reading';
import { MEASURES, unknownProcess } from '../sample';
import type { GpuProcess } from '../sample';
import type { StreamReader, ToolReading } from '../tool';
import { AMD_MONITOR_COLUMNS } from './places';

type Row = ReadonlyMap<string, string>;

/** Parses rows of `amd-smi monitor` by the header above them: GPUs, and with -q processes. */
class MonitorLines {
  private names: readonly string[] = [];

  row(line: string): { readonly kind: 'gpu' | 'process'; readonly row: Row } | null {
    const cells = cellsOf(line);
    if (cells.includes('GPU')) {
      this.names = cells;
      return null;
    }
    const row = rowBy(this.names, cells);
    if (!row || countOf(row.get('GPU')) === null) return null;
    return { kind: this.names.includes('PID') ? 'process' : 'gpu', row };
  }
}

export const isMonitor = (text: string): boolean =>
  /^(?:TIMESTAMP\s+)?GPU\s+(?:XCP\s+)?[A-Z]\S*(?:\s|$)/m.test(text);

/** Output of `amd-smi monitor`, with or without its process table. */
export function readMonitor(text: string, receivedMs: number): ToolReading {
  const lines = new MonitorLines();
  const rows = text.split(/\r?\n/).flatMap(line => lines.row(line) ?? []);
  return readingOf(
    rows.filter(({ kind }) => kind === 'gpu').map(({ row }) => shownIn(row, receivedMs)),
    { processes: rows.filter(({ kind }) => kind === 'process').flatMap(({ row }) => processIn(row)) },
  );
}

function shownIn(row: Row, receivedMs: number): Shown {
  const texts: MeasureTexts = Object.fromEntries(
    MEASURES.map(measure => [
      measure,
      (AMD_MONITOR_COLUMNS[measure] ?? []).flatMap(name => row.get(name) ?? []),
    ]),
  );
  const { used, total } = usageIn(row);
  const index = countOf(row.get('GPU')) ?? 0;
  const partition = countOf(row.get('XCP')) ?? 0;
  const device = unknownDevice({
    key: partition === 0 ? `amd:${index}` : `amd:${index}/${partition}`,
    vendor: 'amd',
    index,
    memoryTotalMiB: total,
    memoryKind: total === null ? 'unknown' : 'dedicated',
  });
  const memory = used === undefined ? {} : { memoryUsedMiB: [used] };
  return shown(device, { ...texts, ...memory }, receivedMs);
}

/** Memory in two columns, since ROCm 6.4 in one: `0.3/192.0 GB`. */
function usageIn(row: Row): { readonly used: string | undefined; readonly total: number | null } {
  const [, used, total, unit] = /^([\d.]+)\s*\/\s*([\d.]+)\s*(\S+)$/.exec(row.get('VRAM_USAGE') ?? '') ?? [];
  if (used !== undefined && total !== undefined && unit !== undefined) {
    return { used: `${used} ${unit}`, total: amountOf(`${total} ${unit}`, 'MiB') };
  }
  return { used: row.get('VRAM_USED'), total: amountOf(row.get('VRAM_TOTAL') ?? '', 'MiB') };
}

function processIn(row: Row): readonly GpuProcess[] {
  const pid = countOf(row.get('PID'));
  if (pid === null) return [];
  return [
    unknownProcess({
      pid,
      name: wordsOf(row.get('NAME')),
      memoryUsedMiB: amountOf(row.get('VRAM_MEM') ?? row.get('MEM_USAGE') ?? '', 'MiB', 'B'),
      gpuIndex: countOf(row.get('GPU')),
    }),
  ];
}

/** Rows of `amd-smi monitor -w`, grouped into ticks: a tick ends when a GPU repeats or all have appeared. */
export class MonitorStream implements StreamReader {
  private readonly lines = new MonitorLines();
  private gathered: Row[] = [];

  constructor(private readonly expected: number) {}

  line(text: string, receivedMs: number): readonly ToolReading[] {
    const found = this.lines.row(text);
    if (found?.kind !== 'gpu') return [];
    const { row } = found;
    const isNext = this.gathered.some(other => keyIn(other) === keyIn(row));
    const before = isNext ? [this.complete(receivedMs)] : [];
    this.gathered.push(row);
    return this.gathered.length >= this.expected ? [...before, this.complete(receivedMs)] : before;
  }

  private complete(receivedMs: number): ToolReading {
    const rows = this.gathered;
    this.gathered = [];
    return readingOf(rows.map(row => shownIn(row, receivedMs)));
  }
}

const keyIn = (row: Row): string => `${row.get('GPU') ?? ''}/${row.get('XCP') ?? ''}`;
