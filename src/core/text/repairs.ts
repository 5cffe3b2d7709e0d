import { decoded } from './escapes';

/** A way to undo what a page or a terminal did to all lines; null if the text shows no sign of it. */
type Repair = (lines: readonly string[]) => readonly string[] | null;

const isBlank = (line: string): boolean => line.trim() === '';

/** The share of lines that must show a sign, and the least number of lines. */
const MOST = 0.9;
const FEW = 2;

/** What is within a box, or behind bars that quote. */
const withoutBars: Repair = lines => {
  const seen = lines.filter(line => !isBlank(line));
  const barred = seen.filter(line => /^\s?[|│┃║]/.test(line));
  if (barred.length < FEW || barred.length < MOST * seen.length) return null;
  const areClosed = barred.every(line => /.[|│┃║]\s*$/.test(line));
  const inner = lines.map(line => line.replace(/^\s?[|│┃║] ?/, ''));
  return areClosed ? inner.map(line => line.replace(/[|│┃║]\s*$/, '').trimEnd()) : inner;
};

/** The column of a border between two panes of a terminal. */
function borderIn(lines: readonly string[]): number | null {
  const first = lines.find(line => line.includes('│'));
  if (first === undefined) return null;
  const columns = [...first.matchAll(/│/g)].map(({ index }) => index).filter(at => at > 0);
  const isBorder = (at: number): boolean => {
    const wide = lines.filter(line => line.length > at);
    return wide.length >= FEW && wide.filter(line => line[at] === '│').length >= MOST * wide.length;
  };
  return columns.length > MOST_BORDERS ? null : (columns.find(isBorder) ?? null);
}
const MOST_BORDERS = 20;

const leftPane: Repair = lines => {
  const at = borderIn(lines);
  return at === null ? null : lines.map(line => line.slice(0, at).trimEnd());
};

const rightPane: Repair = lines => {
  const at = borderIn(lines);
  return at === null ? null : lines.map(line => line.slice(at + 1));
};

/** Lines that a terminal or a page broke are as wide as it, and others are not. */
const LEAST_WIDTH = 40;

/** Lines that were broken at a width, within words or between them, as one again. */
function joined(lines: readonly string[], isBroken: (line: string, next: string) => boolean, by: string) {
  const whole: string[] = [];
  let isOpen = false;
  lines.forEach((line, at) => {
    const last = whole.length - 1;
    const above = whole[last] ?? '';
    // A line may also end within a word, behind its hyphen.
    if (isOpen) whole[last] = `${above}${/\w-$/.test(above) ? '' : by}${line}`;
    else whole.push(line);
    isOpen = at + 1 < lines.length && isBroken(line, lines[at + 1] ?? '');
  });
  return whole.length === lines.length ? null : whole;
}

const widthOf = (lines: readonly string[]): number =>
  lines.reduce((most, line) => Math.max(most, line.length), 0);

const brokenInWords: Repair = lines => {
  const width = widthOf(lines);
  if (width < LEAST_WIDTH) return null;
  return joined(lines, line => line.length === width, '');
};

/** A line that draws, which is no word of the line above. */
const RULE = /^[-=+|\s\u2500-\u257f]{12,}/;

const brokenBetweenWords: Repair = lines => {
  const width = widthOf(lines.filter(line => !RULE.test(line)));
  if (width < LEAST_WIDTH) return null;
  const word = (line: string): number => line.trimStart().search(/\s|$/);
  return joined(
    lines,
    (line, next) =>
      ![line, next].some(one => isBlank(one) || RULE.test(one)) && line.length + 1 + word(next) > width,
    ' ',
  );
};

/** A line with a time only, and a head that begins an output. */
const CLOCK = /^\s{0,20}\d{1,2}:\d\d(?::\d\d)?(?: [AP]M)?\s{0,4}$/;
const LOG_HEAD = /^(\s{1,20})={5,40}[\w ]{1,40}={5,40}\s{0,4}$/;

/** An output within that of a program which prints a time above each line, or indents it below its own. */
const withinAnother: Repair = lines => {
  const said = lines.filter(line => !CLOCK.test(line));
  const at = said.findIndex(line => LOG_HEAD.test(line));
  if (said.length === lines.length && at < 1) return null;
  const indent = (LOG_HEAD.exec(said[at] ?? '')?.[1] ?? '').length;
  return said
    .slice(Math.max(0, at))
    .map(line => (isBlank(line.slice(0, indent)) ? line.slice(indent) : line));
};

/** What someone wrote behind a line: `31%   <---- while it trains`. */
const REMARK = /\s{1,20}(?:<[-=]{2,40}|←)[^|]{0,200}$/;
const withoutRemarks: Repair = lines =>
  lines.some(line => REMARK.test(line)) ? lines.map(line => line.replace(REMARK, '')) : null;

/** Lines that are indented below the words of someone: of a list, a role, an element. */
const indentedBelow: Repair = lines => {
  const said = lines.filter(line => !isBlank(line));
  const indents = said.map(indentOf).filter(indent => indent > 0);
  if (indents.length === said.length || indents.length < Math.max(FEW, HALF * said.length)) return null;
  const least = Math.min(...indents);
  return lines.map(line => (indentOf(line) > 0 ? line.slice(least) : line));
};
const indentOf = (line: string): number => line.length - line.trimStart().length;

/** Strings with several lines in a record of JSON or Python. */
const STRING = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/g;
const fromStrings: Repair = lines => {
  const strings = lines
    .flatMap(line => line.match(STRING) ?? [])
    .filter(one => one.split('\\n').length > FEW);
  return strings.length === 0 ? null : strings.flatMap(one => decoded(one).split('\n'));
};

/** Marks of Markdown that a page escaped. */
const ESCAPED = /\\([-|+*_#[\]()<>.~])/g;
const withoutEscapes: Repair = lines =>
  lines.filter(line => line.includes('\\|') || line.includes('\\-')).length < FEW
    ? null
    : lines.map(line => line.replace(ESCAPED, '$1'));

/** Rows of a table that lost their first bar. */
const withFirstBars: Repair = lines => {
  const isRow = (line: string): boolean =>
    /^[^|+]/.test(line) && line.length < LONGEST_ROW && line.trimEnd().endsWith('|') && /\w/.test(line);
  if (lines.filter(isRow).length < FEW) return null;
  if (lines.some(line => /^\s{0,4}\|.*[^-=|+\s]/.test(line))) return null;
  return lines.map(line => (isRow(line) ? `|${line}` : line));
};
const LONGEST_ROW = 800;

/** Numbers in what is before lines may count, and blanks fill it up: neither tells two lines apart. */
const PIECE = /\d{1,20}|\s{1,80}|[^\d\s]/g;
const alike = (piece: string): string => (/^\d/.test(piece) ? '0' : isBlank(piece) ? ' ' : piece);

/** How many pieces at the beginning most lines share with one of them. */
function sharedBy(lines: readonly (readonly string[])[]): number {
  const model = (lines[Math.floor(lines.length / 2)] ?? []).map(alike);
  let shared = 0;
  let same = lines;
  for (const piece of model.slice(0, MOST_SHARED)) {
    same = same.filter(line => alike(line[shared] ?? '') === piece);
    if (same.length < FEW || same.length < HALF * lines.length) break;
    shared += 1;
  }
  return shared;
}
const [MOST_SHARED, HALF] = [80, 0.5];

/** What ends something in front of a line, and begins or ends a string or a command; not what is within a number. */
const ENDS_PREFIX = /[^\s\w.]/;
const DIGIT = /^\d/;
const [FIRST_CUTS, LAST_CUTS] = [10, 4];

/** Where something in front of lines may end: behind a mark, or before a blank. */
function cutsIn(model: readonly string[], shared: number): readonly number[] {
  const cuts = model.slice(0, shared).flatMap((piece, at) => {
    const next = model[at + 1] ?? '';
    const isWithin = DIGIT.test(model[at - 1] ?? '') && DIGIT.test(next);
    const isEnd = (ENDS_PREFIX.test(piece) && !isWithin) || (!isBlank(piece) && isBlank(next));
    return isEnd ? [at + 1] : [];
  });
  return [...new Set([...cuts.slice(0, FIRST_CUTS), ...cuts.slice(-LAST_CUTS)])];
}

/** Lines without what any program, page or person put in front of most of them: longer and shorter readings of it. */
function withoutPrefixes(lines: readonly string[]): readonly (readonly string[])[] {
  const said = lines.filter(line => !isBlank(line));
  if (said.length < FEW || lines.length > MOST_LINES) return [];
  const pieces = said.map(line => line.match(PIECE) ?? []);
  const model = pieces[Math.floor(pieces.length / 2)] ?? [];
  const shared = sharedBy(pieces);
  return cutsIn(model, shared).map(cut => {
    const key = model.slice(0, cut).map(alike).join('');
    const isBehind = pieces.map(line => line.slice(0, cut).map(alike).join('') === key);
    const own = pieces.map((line, at) => (isBehind[at] === true ? line.slice(cut) : line).join(''));
    const indent = Math.min(
      ...own.flatMap((line, at) => (isBehind[at] === true && line.trim().length > FEW ? indentOf(line) : [])),
    );
    return own.map((line, at) => (isBehind[at] === true ? line.slice(indent) : line));
  });
}
const MOST_LINES = 250;

/** What is behind most lines: the end of a string in a list, a mark for a page, a backslash. */
const SUFFIX = /(?:\\{1,2}n)?["'`\\]\)?(?:[,;]| ?\+)?\\?$|\*{1,2}$/;
const withoutSuffixes: Repair = lines => {
  const said = lines.filter(line => !isBlank(line));
  const ended = said.filter(line => SUFFIX.test(line));
  if (said.length < FEW || ended.length < HALF * said.length) return null;
  return lines.map(line =>
    line
      .trimEnd()
      .replace(SUFFIX, '')
      .replace(/\\(["'\\])/g, '$1'),
  );
};

const BORDER = /[|+](?:[-=]{3,}[|+])+/g;

/** Rows of tables in ASCII whose lines were broken or joined: a border tells how many cells a row has. */
const redrawn: Repair = lines => {
  const text = lines
    .join('\n')
    .replace(/([-=]) ?\n\s{0,20}(?=[-=+|])|([-=+]|\|(?=\n\s{0,20}=)) ?\n\s{0,20}(?=[-=])/g, '$1$2')
    .replace(/([-=]{2}) (?=[-=]{2})/g, '$1');
  const rows: string[] = [];
  let from = 0;
  let cells = 0;
  for (const border of text.matchAll(BORDER)) {
    rows.push(...rowsOf(text.slice(from, border.index), cells), border[0]);
    from = border.index + border[0].length;
    cells = border[0].split(/[-=]+/).length - 1;
  }
  if (cells === 0) return null;
  rows.push(...openRowsOf(text.slice(from), cells));
  return rows.length === lines.length && rows.every((row, at) => row === lines[at]?.trim()) ? null : rows;
};

/** The rows in a text between two borders; its own lines if they are none of a table with so many cells. */
function rowsOf(text: string, cells: number): readonly string[] {
  const own = text.split('\n').filter(line => !isBlank(line));
  const pieces = text.replace(/\n\s{0,20}/g, ' ').split('|');
  const rows = (pieces.length - 1) / (cells + 1);
  if (cells === 0 || !Number.isInteger(rows) || !isBlank(pieces[0] ?? '')) return own;
  const split = Array.from({ length: rows }, (_, row) =>
    pieces.slice(row * (cells + 1) + 1, (row + 1) * (cells + 1) + 1),
  );
  // What is between the last bar of a row and the first one of the next is blank.
  return split.every(row => isBlank(row.at(-1) ?? ''))
    ? split.map(row => `|${row.slice(0, -1).join('|')}|`)
    : own;
}

/** The rows below the last border, whose end a copy may have lost. */
function openRowsOf(text: string, cells: number): readonly string[] {
  const end = text.split('|', 1 + 2 * (cells + 1)).join('|').length;
  const rows = rowsOf(text.slice(0, end), cells);
  return rows.every(row => row.startsWith('|')) ? [...rows, ...rowsOf(text.slice(end), 0)] : rowsOf(text, 0);
}

const found = (repairs: readonly Repair[], lines: readonly string[]): readonly (readonly string[])[] =>
  repairs.flatMap(repair => {
    const other = repair(lines);
    return other === null ? [] : [other];
  });

const STARTS: readonly Repair[] = [withoutBars, leftPane, rightPane, withinAnother, withoutRemarks];
/** What pages do to an output that someone pasted, which is not a long log. */
const OF_PAGES: readonly Repair[] = [indentedBelow, fromStrings, withoutEscapes, withFirstBars];
const MOST_PASTED_LINES = 1000;

/**
 * The texts that one may have been, most likely first: the inside of a box, one of two panes, the text itself, and
 * its lines and the rows of its tables before they were broken. Whoever can read one of them knows which is right.
 */
export function repaired(text: string): readonly string[] {
  const lines = text.split('\n');
  const isShort = lines.length <= MOST_PASTED_LINES;
  const starts = [...found(isShort ? [...STARTS, ...OF_PAGES] : STARTS, lines), lines];
  const peeled = withoutPrefixes(lines);
  const all = [
    ...starts,
    ...starts.flatMap(start =>
      found([redrawn, brokenInWords, ...(isShort ? [brokenBetweenWords] : [])], start),
    ),
  ];
  const ends = [lines, ...peeled].flatMap(start => found([withoutSuffixes], start));
  return [...all, ...peeled, ...ends].map(one => one.join('\n'));
}
