/** A row of nvidia-smi's CSV by field name, without units in the names. */
export type CsvRow = ReadonlyMap<string, string>;

/** Fields whose value may contain a comma; nvidia-smi does not quote. */
const FREE_TEXT = new Set(['process_name', 'name', 'gpu_name']);

/** Synonyms of a field: the requested name, and those in older or newer headers. */
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
  const name = header.replace(/\[[^[\]]*\]$/, '').trim();
  return SAME_FIELD[name] ?? name;
}

/** The fields that `--query-gpu=a,b` or another `--query-…=` requests; [] if there are none. */
export function queriedFields(args: readonly string[]): readonly string[] {
  const query = args.find(arg => arg.startsWith('--query-'));
  const fields = query?.slice(query.indexOf('=') + 1).split(',') ?? [];
  return fields.map(fieldName).filter(name => /^[a-z]/.test(name));
}

/** The form of fields in a header: lower case with dots, some with a unit in brackets. */
const FIELD = /^[a-z][A-Za-z0-9]*(?:[._][A-Za-z0-9]+)*(?: \[[^\]]+\])?$/;
/** Fields of one plain word, which could also be free text. */
const PLAIN = new Set(['timestamp', 'name', 'index', 'pid', 'uuid', 'count', 'serial', 'pstate']);
/** Users replace removed columns with this. */
const CUT = '...';

/** Cells are separated by a comma and a space: a comma alone is a decimal comma, or part of a name. */
const cellsOf = (line: string): readonly string[] => line.split(/, |,(?=\[)|,$/);

/** The same for a row without such spaces, as scripts may write it, if all of its commas separate cells. */
function fittingCells(line: string, columns: readonly string[]): readonly string[] {
  const cells = cellsOf(line);
  if (cells.length === columns.length || line.includes(', ')) return cells;
  const bare = line.split(',');
  return bare.length === columns.length ? bare : cells;
}

/** Column names in a sentence: `The header is left out, but is: <tt>name, memory.used [MiB], memory.total [MiB]</tt>.` */
const NAME = String.raw`[a-z][a-zA-Z0-9]{0,30}(?:[._][a-zA-Z0-9]{1,30}){0,6}(?: \[[^\]\n]{1,10}\])?`;
const IN_A_SENTENCE = new RegExp(String.raw`[:>\s](${NAME}(?:, ${NAME}){2,60})(?:</?\w{1,10}>|[.:]|$)`);
const [LEAST_DOTTED, LONGEST_SENTENCE] = [2, 2000];

/** Other marks between the cells of a row: commas alone, bars of Markdown, columns of blanks. */
const SHAPES: readonly ((line: string) => string)[] = [
  line => line,
  line => line.replace(/,/g, ', '),
  line =>
    /^\s*\|[\s:|-]*$/.test(line)
      ? ''
      : line
          .trim()
          .replace(/^\||\|$/g, '')
          .split('|')
          .map(cell => cell.trim())
          .join(', '),
  line =>
    line
      .trim()
      .split(/\s{2,}/)
      .join(', '),
];

/** A line without any of these is no header: a quick look at lines of any output. */
const COULD_BE_HEADER = new RegExp(String.raw`[A-Za-z\d][._][A-Za-z]|\b(?:${[...PLAIN].join('|')})\b`);

/** How the rows below a header become those of CSV, and its names; null for any other line. */
export function shapedHeader(line: string) {
  if (!COULD_BE_HEADER.test(line)) return null;
  for (const [at, shape] of SHAPES.entries()) {
    const names = headerOf(shape(line));
    const isClear = at === 0 || ((names?.length ?? 0) > 1 && names?.some(name => /[._]/.test(name)));
    if (names !== null && isClear) return { names, shape };
  }
  return null;
}

/** The column names of a header row or a sentence; null for any other line. */
function headerOf(line: string): readonly string[] | null {
  const whole = headerIn(line);
  if (whole !== null || line.length > LONGEST_SENTENCE) return whole;
  const [, list = ''] = IN_A_SENTENCE.exec(line) ?? [];
  return (list.match(/\w[._]\w/g) ?? []).length >= LEAST_DOTTED ? headerIn(list) : null;
}

function headerIn(line: string): readonly string[] | null {
  const cells = cellsOf(line).map(cell => cell.trim());
  const areFields = cells.every(cell => cell === CUT || FIELD.test(cell));
  const areKnown = cells.some(cell => cell !== CUT && (/[._]/.test(cell) || PLAIN.has(cell)));
  return areFields && areKnown ? cells.map(fieldName) : null;
}

/** A row's columns: those of the header, or the requested ones if only they fit (a truncated header). */
export function columnsOf(
  line: string,
  stated: readonly string[],
  requested: readonly string[],
): readonly string[] {
  const cells = fittingCells(line, stated.length === 0 ? requested : stated).length;
  return stated.length === 0 || (stated.length !== cells && requested.length === cells) ? requested : stated;
}

/**
 * Parses a row by its columns; null if it does not fit them (a truncated line, a message). If a row has more cells
 * than columns, a free-text field contained commas.
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
  // A header with something in front of it, or in a command.
  if (columns.some((name, at) => fieldName((whole[at] ?? '').trim()) === name)) return null;
  return new Map(columns.map((name, at) => [name, (whole[at] ?? '').trim()]));
}
