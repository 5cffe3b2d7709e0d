import { prompt } from '../../core/text/framePrefixes';
import type { GpuDevice } from '../device';
import { unknownProcess } from '../sample';
import type { GpuProcess, GpuSample } from '../sample';
import type { ToolOutput, ToolReading } from '../tool';
import { EMPTY_READING } from '../tool';
import { columnsOf, shapedHeader, queriedFields, rowOf } from './csv';
import type { CsvRow } from './csv';
import { errorOf, isMessage, warningOf } from './errors';
import { deviceOf, isWhole, sampleOf } from './gpuRow';
import { integerOf, numberOf, textOf } from './values';

/** The rows of an output, and its other lines. */
interface Table {
  readonly rows: readonly CsvRow[];
  readonly warnings: readonly string[];
}

/** The tool's own command, as a page shows it above its output. */
const COMMAND = /\bnvidia-smi(?:\.exe)? -/;

/** Classifies the lines of a table: header or row; warnings, messages, commands and truncated lines are neither. */
export class TableLines {
  private stated: readonly string[] = [];
  private shape = (line: string): string => line;

  constructor(private readonly requested: readonly string[]) {}

  row(line: string): CsvRow | null {
    const header = shapedHeader(line);
    const shaped = this.shape(line);
    const row = header === null ? rowOf(shaped, columnsOf(shaped, this.stated, this.requested)) : null;
    if ((header === null && row === null) || isOther(line)) return null;
    if (header !== null) {
      this.stated = header.names;
      this.shape = header.shape;
    }
    return row;
  }
}

const isOther = (line: string): boolean =>
  line.trim() === '' ||
  isMessage(line) ||
  warningOf(line) !== null ||
  prompt.test(line) ||
  COMMAND.test(line);

function tableOf(args: readonly string[], output: ToolOutput): Table {
  const reader = new TableLines(queriedFields(args));
  const lines = output.stdout.split(/\r?\n/);
  return {
    rows: lines.flatMap(line => reader.row(line) ?? []),
    warnings: [...lines, ...output.stderr.split(/\r?\n/)].flatMap(line => warningOf(line) ?? []),
  };
}

/** Output of `--query-gpu=… --format=csv`, with or without header and units, once or repeated. */
export function readGpuTable(args: readonly string[], output: ToolOutput, receivedMs: number): ToolReading {
  const { rows: all, warnings } = tableOf(args, output);
  // A table of processes may follow in what was pasted.
  const rows = all.filter(row => !row.has('pid'));
  const reading = readingOf(rows, receivedMs);
  const processes = all.flatMap(row => processOf(row) ?? []);
  return { ...reading, processes, warnings, error: errorOf(output, rows.length > 0) };
}

/** Devices and samples of some rows. */
export function readingOf(rows: readonly CsvRow[], receivedMs: number): ToolReading {
  const devices: GpuDevice[] = [];
  const samples: GpuSample[] = [];
  for (const row of rows.filter(isWhole)) {
    const device = deviceOf(row, devices.length);
    devices.push(device);
    samples.push(sampleOf(row, device.key, receivedMs));
  }
  return { ...EMPTY_READING, devices, samples, driverVersion: devices[0]?.driverVersion ?? null };
}

/** Output of `--query-compute-apps=… --format=csv`. */
export function readProcessTable(args: readonly string[], output: ToolOutput): ToolReading {
  const { rows, warnings } = tableOf(args, output);
  const processes = rows.flatMap(row => processOf(row) ?? []);
  return { ...EMPTY_READING, processes, warnings, error: errorOf(output, rows.length > 0) };
}

function processOf(row: CsvRow): GpuProcess | null {
  const pid = integerOf(row.get('pid') ?? '');
  if (pid === null) return null;
  return unknownProcess({
    pid,
    name: textOf(row.get('process_name') ?? ''),
    memoryUsedMiB: numberOf(row.get('used_memory') ?? ''),
    gpuUuid: textOf(row.get('uuid') ?? ''),
    pciBusId: textOf(row.get('pci.bus_id') ?? ''),
  });
}
