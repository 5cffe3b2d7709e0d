import { unknownDevice } from '../device';
import { countOf, wordsOf } from '../parse/amount';
import { cellsOf, rowBy } from '../parse/text';
import { readingOf, shown } from '../parse/reading';
import type { Shown } from '../parse/reading';
import type { Measure } from '../sample';
import type { ToolReading } from '../tool';

/** Columns from the temperature on, with their names over the years. */
const COLUMNS: Readonly<Record<string, readonly Measure[]>> = {
  Temp: ['tempC'],
  'Temp (DieEdge)': ['tempC'],
  Power: ['powerW'],
  AvgPwr: ['powerW'],
  SCLK: ['clockSmMHz'],
  MCLK: ['clockMemMHz'],
  Fan: ['fanPct'],
  PwrCap: ['powerLimitW'],
  'VRAM%': ['memoryUsedPct'],
  'GPU%': ['utilPct'],
};

/** The table that rocm-smi prints without options. The columns left of the temperature vary and are not read. */
export function readConcise(text: string, receivedMs: number): ToolReading | null {
  const lines = text.split(/\r?\n/);
  const header = lines.findIndex(
    line => /^(?:GPU|Device)\s.*\bGPU%/.test(line) || /^\s?GPU\s+(?:DID\s+)?Temp\s+AvgPwr\s/.test(line),
  );
  if (header < 0) return null;
  const cells = cellsOf(lines[header] ?? '');
  const names = cells.slice(cells.findIndex(name => name.startsWith('Temp')));
  // The ids of newer releases are in one column but two spaces apart.
  const spare = cells.includes('IDs') ? 1 : 0;
  const fits = (count: number): boolean => count === cells.length || count === cells.length + spare;
  const rows: Shown[] = [];
  const words = wordsIn(lines[header] ?? '');
  let open: Shown | undefined;
  for (const line of lines.slice(header + 1)) {
    if (isOtherHeader(line, lines[header] ?? '')) break;
    const found =
      rowIn(cellsOf(line), names, fits, receivedMs) ??
      looseRow(line, words, receivedMs) ??
      rowIn(cellsBelow(lines[header] ?? '', line), names, fits, receivedMs);
    if (found) rows.push(found);
    // A name stands directly below its row.
    else if (open !== undefined && /^\s+(?!GPU\s)[A-Za-z]/.test(line)) {
      rows[rows.length - 1] = { ...open, device: { ...open.device, name: wordsOf(line) } };
    }
    open = found ?? undefined;
  }
  return readingOf(rows);
}

/** The header of a table with other columns, such as the one of `--showhw`. */
const isOtherHeader = (line: string, header: string): boolean =>
  /^\s?(?:GPU|Device)\s+[A-Z]/.test(line) && line.trim() !== header.trim();

/** Cells of a line by the columns that they stand below, '' where one is empty; none if one stands elsewhere. */
function cellsBelow(header: string, line: string): readonly string[] {
  const starts = [...header.matchAll(CELL)].map(({ index }) => index);
  const cells = [...line.matchAll(CELL)];
  const places = cells.map(({ index }) => starts.findIndex(start => Math.abs(start - index) <= 2));
  return places.includes(-1) ? [] : starts.map((_, at) => cells[places.indexOf(at)]?.[0] ?? '');
}
const CELL = /\S+(?: \S+)*/g;

/** A line by its words; what a comma joins (ids, partitions) and a name with its sensor are one. */
const wordsIn = (line: string): readonly string[] =>
  line
    .trim()
    .replace(/,\s+/g, ',')
    .split(/\s+(?!\()/);

/** A row of a table that lost spaces on the way, so that its columns are told apart by words only. */
function looseRow(line: string, header: readonly string[], receivedMs: number): Shown | null {
  const names = header.slice(header.findIndex(name => name.startsWith('Temp')));
  return rowIn(wordsIn(line), names, count => count === header.length, receivedMs);
}

function rowIn(
  cells: readonly string[],
  names: readonly string[],
  fits: (count: number) => boolean,
  receivedMs: number,
): Shown | null {
  const index = countOf(cells[0]);
  if (index === null || !fits(cells.length)) return null;
  const own = cells.slice(-names.length);
  const texts = names.flatMap((name, at) =>
    (COLUMNS[name] ?? []).map(measure => [measure, [(own[at] ?? '').replace(/c$/, 'C')]] as const),
  );
  const device = unknownDevice({ key: `amd:${index}`, vendor: 'amd', index });
  return shown(device, Object.fromEntries(texts), receivedMs);
}

/** Output of `--showhw`: identities and PCI addresses, a row per GPU. */
export function readHardware(text: string, receivedMs: number): ToolReading | null {
  let names: readonly string[] = [];
  const all = text.split(/\r?\n/).flatMap(line => {
    const cells = cellsOf(line);
    if (cells[0] === 'GPU' && cells.includes('BUS')) names = cells;
    const row = rowBy(names, cells);
    const index = countOf(row?.get('GPU'));
    if (row === null || index === null) return [];
    const pciBusId = wordsOf(row.get('BUS'));
    const device = unknownDevice({ key: pciBusId ?? `amd:${index}`, vendor: 'amd', index, pciBusId });
    return [shown(device, {}, receivedMs)];
  });
  return all.length === 0 ? null : readingOf(all);
}
