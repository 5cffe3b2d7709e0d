/** A table drawn with lines: the words of its header, line by line and column by column, and its rows alike. */
export interface Box {
  readonly header: BoxLines;
  readonly rows: readonly BoxLines[];
}

/** Lines of columns of words. */
export type BoxLines = readonly (readonly (readonly string[])[])[];

const RULE = /^[|+ ]{0,4}[-=+|]{12,}\s*$/;
/** `106 W/ 250 W`, `0    / 0`, `N/A / N/A`: an amount and its limit are one word. */
const OF = /(?<=[\dABW%)])\s{0,12}\/\s{0,12}(?=\d|N\/?A\b)/g;
/** A row between bars: where rows are drawn so, a line without bars stands outside of the tables. */
const BARRED = /^\s{0,20}\|[^\n]{0,400}\|\s{0,20}$/m;
/** Of a line that no table has. */
const LONGEST = 400;

/**
 * The tables in a text whose header has one of the given words. A row is what stands between two lines, and has at
 * most as many lines as the header; what has more is as many rows.
 */
export function boxesIn(text: string, isHeader: (words: readonly string[]) => boolean): readonly Box[] {
  const boxes: { header: BoxLines; rows: BoxLines[] }[] = [];
  const isBarred = BARRED.test(text);
  let lines: (readonly (readonly string[])[])[] = [];
  const close = (): void => {
    // Without the rule between them, a title stands above the header: it has no columns.
    const below = lines.slice(
      Math.max(
        0,
        lines.findIndex(line => line.length > 1),
      ),
    );
    const header = [[joined(lines)], below].find(one => isHeader(one.flat(2)));
    if (header) boxes.push({ header, rows: [] });
    else {
      const box = boxes.at(-1);
      if (box) box.rows.push(...inRows(lines, box.header.length));
    }
    lines = [];
  };
  for (const line of closedRows(text.split(/\r?\n/))) {
    if (RULE.test(line)) close();
    else if (isBarred ? line.includes('|') : line.trim() !== '') {
      lines.push(columnsOf(line.slice(0, LONGEST)));
    }
  }
  close();
  return boxes;
}

/** Rows that a copy broke in two, whose last bar it may have lost: what has no bar belongs to the row above it. */
function closedRows(lines: readonly string[]): readonly string[] {
  const rows: string[] = [];
  for (const line of lines) {
    const above = rows.at(-1) ?? '';
    const isOpen = /^\s*\|/.test(above) && !/[|+]\s*$/.test(above);
    const goesOn = /^\s+[^\s|+]/.test(line) && above.length + line.length < LONGEST;
    if (isOpen && goesOn) rows[rows.length - 1] = `${above.trimEnd()}  ${line.trim()}`;
    else rows.push(line);
  }
  return rows;
}

/** Names that go on in the next line, one in each column: `NEURON` above `MEMORY`. */
function joined(lines: BoxLines): readonly (readonly string[])[] {
  const isNarrow = lines.every(
    line => line.length === lines[0]?.length && line.every(({ length }) => length < 2),
  );
  if (!isNarrow) return [];
  return (lines[0] ?? []).map((_, column) => [lines.flatMap(line => line[column] ?? []).join(' ')]);
}

function inRows(lines: BoxLines, height: number): readonly BoxLines[] {
  if (lines.length <= height) return lines.length === 0 ? [] : [lines];
  return lines.length % height === 0
    ? Array.from({ length: lines.length / height }, (_, at) => lines.slice(at * height, (at + 1) * height))
    : [];
}

const columnsOf = (line: string): readonly (readonly string[])[] =>
  line
    .trim()
    .replace(/^\|/, '')
    .replace(/\|$/, '')
    .split('|')
    .map(cell => wordsOf(cell.replace(OF, '/')));

const wordsOf = (cell: string): readonly string[] => {
  const plain = cell.trim();
  return plain === '' ? [] : plain.split(/\s{2,}/);
};

/**
 * The words of a row by those of the header above them. A column with another number of words has none, and neither
 * has a line with another number of columns: which is which cannot be told.
 */
export function byHeader(
  header: BoxLines,
  row: BoxLines,
): readonly (readonly [name: string, text: string])[] {
  return header.flatMap((columns, line) =>
    columns.flatMap((names, column) => {
      const own = row[line] ?? [];
      const words = own.length === columns.length ? fitting(own[column] ?? [], names.length) : null;
      return words === null ? [] : names.map((name, at) => [name, words[at] ?? ''] as const);
    }),
  );
}

/** Words as many as the header has: neighbors may be only one blank apart. */
function fitting(words: readonly string[], count: number): readonly string[] | null {
  if (words.length === count) return words;
  const all = words.flatMap(word => word.split(/\s+/));
  return all.length === count ? all : null;
}
