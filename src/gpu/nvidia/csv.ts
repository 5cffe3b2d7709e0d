/** A row of nvidia-smi's CSV by field name, without units in the names. */
export type CsvRow = ReadonlyMap<string, string>;

/** Fields whose value may hold a comma; there are no quotes. */
const FREE_TEXT = new Set(['process_name', 'name', 'gpu_name']);

/** Names of one field: the one asked for, and those of older or newer headers. */
const SAME_FIELD: Readonly<Record<string, string>> = {
  gpu_name: 'name',
  gpu_uuid: 'uuid',
  gpu_bus_id: 'pci.bus_id',
  used_gpu_memory: 'used_memory',
  'clocks.sm': 'clocks.current.sm',
  'clocks.mem': 'clocks.current.memory',
  'clocks.gr': 'clocks.current.graphics',
};

/** `memory.used [MiB]` → `memory.used`, in its newest name. */
export function fieldName(header: string): string {
  const name = header.replace(/\s*\[[^\]]*\]$/, '').trim();
  return SAME_FIELD[name] ?? name;
}

/** The fields that `--query-gpu=a,b` or another `--query-…=` asks for; [] when there is none. */
export function queriedFields(args: readonly string[]): readonly string[] {
  const query = args.find(arg => arg.startsWith('--query-'));
  const fields = query?.slice(query.indexOf('=') + 1).split(',') ?? [];
  return fields.map(fieldName).filter(name => /^[a-z]/.test(name));
}

/** As fields are spelt in a header: lower case with dots, a unit in brackets behind some. */
const FIELD = /^[a-z][A-Za-z0-9]*(?:[._][A-Za-z0-9]+)*(?: \[[^\]]+\])?$/;
/** Fields of one plain word, which free text might be, too. */
const PLAIN = new Set(['timestamp', 'name', 'index', 'pid', 'uuid', 'count', 'serial', 'pstate']);
/** What people leave in place of columns they cut. */
const CUT = '...';

/** Cells stand a comma and a space apart: a comma alone is the decimal sign of another language, or part of a name. */
const cellsOf = (line: string): readonly string[] => line.split(/, |,(?=\[)|,$/);

/** The same of a row without any such space, as scripts leave it, where all its commas part cells. */
function fittingCells(line: string, columns: readonly string[]): readonly string[] {
  const cells = cellsOf(line);
  if (cells.length === columns.length || line.includes(', ')) return cells;
  const bare = line.split(',');
  return bare.length === columns.length ? bare : cells;
}

/** The column names of a header row; null for any other line. */
export function headerOf(line: string): readonly string[] | null {
  const cells = cellsOf(line).map(cell => cell.trim());
  const areFields = cells.every(cell => cell === CUT || FIELD.test(cell));
  const areKnown = cells.some(cell => /[._]/.test(cell) || PLAIN.has(cell));
  return areFields && areKnown ? cells.map(fieldName) : null;
}

/** Which columns a row has: those of the header, but those that were asked for when only they fit (a header was cut). */
export function columnsOf(
  line: string,
  stated: readonly string[],
  asked: readonly string[],
): readonly string[] {
  const cells = fittingCells(line, stated.length === 0 ? asked : stated).length;
  return stated.length === 0 || (stated.length !== cells && asked.length === cells) ? asked : stated;
}

/**
 * One row by its columns; null when it does not fit them (a cut line, a message). Where a row has more cells than columns,
 * a free-text field had commas in it.
 */
export function rowOf(line: string, columns: readonly string[]): CsvRow | null {
  const cells = fittingCells(line, columns);
  const spare = cells.length - columns.length;
  const free = columns.findIndex(name => FREE_TEXT.has(name));
  if (columns.length === 0 || spare < 0 || (spare > 0 && free < 0)) return null;
  const whole =
    spare === 0
      ? cells
      : [
          ...cells.slice(0, free),
          cells.slice(free, free + spare + 1).join(', '),
          ...cells.slice(free + spare + 1),
        ];
  return new Map(columns.map((name, at) => [name, (whole[at] ?? '').trim()]));
}
