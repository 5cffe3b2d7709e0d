import { unknownDevice } from '../device';
import { countOf, wordsOf } from '../parse/amount';
import { readingOf, shown } from '../parse/reading';
import type { Shown } from '../parse/reading';
import { processTypeOf, unknownProcess } from '../sample';
import type { EngineLoad, Measure } from '../sample';
import { EMPTY_READING } from '../tool';
import type { ToolOutput, ToolReading } from '../tool';
import { errorOf } from './errors';
import { numberOf } from './values';

type Row = ReadonlyMap<string, string>;

/** Columns are apart by spaces, with `--format csv` by commas. */
const cellsIn = (line: string): readonly string[] => line.split(/[\s,]+/).filter(cell => cell !== '');

/** The column names of a line; with `-o DT`, the date and the time precede the GPU. */
const headerIn = (line: string): readonly string[] | null => {
  const mark = line.indexOf('#');
  if (mark < 0) return null;
  const cells = cellsIn(line.slice(mark + 1)).map(cell => cell.toLowerCase());
  const before = cells.slice(0, Math.max(0, cells.indexOf('gpu')));
  return cells.includes('gpu') && before.every(name => name === 'date' || name === 'time') ? cells : null;
};

/** `12`, `-`, `N/A`, and the date and the time. */
const VALUE = /^(?:-|-?\d[\d./:]*|\[?N\/A\]?|ERR!?)$/;

/**
 * Rows of `pmon` and `dmon` by the names in the header, which repeats: rows before the first header, in a stream
 * that was joined later, also have its columns. A command at the end may contain spaces.
 */
function rowsOf(text: string): readonly Row[] {
  const lines = text.split(/\r?\n/);
  let names = lines.reduce<readonly string[] | null>((found, line) => found ?? headerIn(line), null) ?? [];
  return lines.flatMap(line => {
    const all = cellsIn(line);
    // A page may draw something in front of its rows.
    const cells = /\w/.test(all[0] ?? '') ? all : all.slice(1);
    names = headerIn(line) ?? names;
    if (countOf(cells[names.indexOf('gpu')]) === null || cells.length < names.length) return [];
    const isFree = names.at(-1) === 'command';
    if (!isFree && (cells.length !== names.length || !cells.every(cell => VALUE.test(cell)))) return [];
    const last = names.length - 1;
    const whole = isFree ? [...cells.slice(0, last), cells.slice(last).join(' ')] : cells;
    return [new Map(names.map((name, at) => [name, whole[at] ?? '']))];
  });
}

const COLUMNS: Readonly<Record<string, Measure>> = {
  pwr: 'powerW',
  gtemp: 'tempC',
  // Up to driver 384.
  temp: 'tempC',
  mtemp: 'tempMemC',
  sm: 'utilPct',
  mem: 'memBusyPct',
  fb: 'memoryUsedMiB',
  mclk: 'clockMemMHz',
  pclk: 'clockSmMHz',
};

const ENGINES: Readonly<Record<string, string>> = {
  enc: 'encoder',
  dec: 'decoder',
  jpg: 'jpeg',
  ofa: 'ofa',
};

/** Output of `nvidia-smi dmon`: a row is a sample of a device. */
export function readDmon(output: ToolOutput, receivedMs: number): ToolReading {
  const all = rowsOf(output.stdout)
    .filter(row => !row.has('pid'))
    .map(row => shownIn(row, receivedMs));
  return readingOf(all, { error: errorOf(output, all.length > 0) });
}

function shownIn(row: Row, receivedMs: number): Shown {
  const index = countOf(row.get('gpu')) ?? 0;
  const texts = [...row].flatMap(([name, text]) => {
    const measure = COLUMNS[name];
    return measure === undefined ? [] : [[measure, [text]] as const];
  });
  const engines: EngineLoad[] = [...row].flatMap(([name, text]) => {
    const busyPct = numberOf(text);
    const engine = ENGINES[name];
    return engine === undefined || busyPct === null ? [] : [{ name: engine, busyPct }];
  });
  const device = unknownDevice({ key: `nvidia:${index}`, vendor: 'nvidia', index });
  return shown(device, Object.fromEntries(texts), receivedMs, engines.length > 0 ? { engines } : {});
}

/** Output of `nvidia-smi pmon`: names are truncated, and a GPU without processes is a row of dashes. */
export function readPmon(output: ToolOutput): ToolReading {
  const processes = rowsOf(output.stdout).flatMap(row => {
    const pid = countOf(row.get('pid'));
    if (pid === null) return [];
    return [
      unknownProcess({
        pid,
        name: wordsOf(row.get('command')),
        memoryUsedMiB: numberOf(row.get('fb') ?? ''),
        type: processTypeOf(row.get('type')),
        smPct: numberOf(row.get('sm') ?? ''),
        memBusyPct: numberOf(row.get('mem') ?? ''),
        gpuIndex: countOf(row.get('gpu')),
      }),
    ];
  });
  return { ...EMPTY_READING, processes, error: errorOf(output, processes.length > 0) };
}

/** Output of `nvidia-smi --version`; since 610 the old lines only say where the number moved. */
export function readVersion(output: ToolOutput): ToolReading {
  const value = (label: string): string | null =>
    new RegExp(`^${label} *: *(\\d\\S*)\\s*$`, 'im').exec(output.stdout)?.[1] ?? null;
  const toolVersion = value('NVIDIA-SMI version');
  return {
    ...EMPTY_READING,
    toolVersion,
    driverVersion: value('KMD version') ?? value('DRIVER version'),
    cudaVersion: value('CUDA UMD version') ?? value('CUDA version'),
    error: errorOf(output, toolVersion !== null),
  };
}

/** Output of `nvidia-smi --help-query-gpu`: the fields of this driver, under all their names. */
export function readFields(output: ToolOutput): ToolReading {
  const lines = output.stdout.split(/\r?\n/).filter(line => line.startsWith('"'));
  const fields = lines.flatMap(line =>
    [...line.matchAll(/"([a-z][\w.]*)"/g)].flatMap(([, name]) => name ?? []),
  );
  return { ...EMPTY_READING, fields, error: errorOf(output, fields.length > 0) };
}
