import { CELL } from '../text/cells';
import type { Span } from '../text/span';
import { codeCells } from './notebook';
import type { Piece } from './notebook';

/** Longer programs are not read: generated code, data. A broken one of this length takes a second to parse. */
export const LONGEST_CODE = 100_000;
/** Notebooks with images are larger than their code. */
const LONGEST_FILE = 16_000_000;

/** A program's text, and where it stands in its file. */
export interface ProgramSource {
  /** Plain Python: the code cells of a notebook behind each other; magics and commands of the shell are blank. */
  readonly text: string;
  /** Lines that install packages, as written. */
  readonly installs: readonly string[];
  /** Where lines of a shell stand in the text: `!python train.py`, the lines below `%%bash`; without their signs. */
  readonly commands: readonly Span[];
  /** The program stands in the strings of JSON: a notebook as it is on disk. */
  readonly isJson: boolean;
  /** The text with magics and commands. */
  readonly written: string;
  /** The range of the file. */
  inFile(span: Span): Span;
}

const isNotebookPath = (path: string): boolean => /\.ipynb$/i.test(path);

/** The program of a file, or of a notebook's joined cells (`cellText`); null if it is none, or too long. */
export function programOf(path: string, text: string): ProgramSource | null {
  if (text.length > LONGEST_FILE) return null;
  if (!isNotebookPath(path) || text.startsWith(CELL)) return text.length > LONGEST_CODE ? null : plain(text);
  const cells = codeCells(text);
  if (cells === null || cells.text.length > LONGEST_CODE) return null;
  return { ...withoutMagics(cells.text), written: cells.text, isJson: true, inFile: mapping(cells.pieces) };
}

const plain = (text: string): ProgramSource => ({
  ...withoutMagics(text),
  written: text,
  isJson: false,
  inFile: span => span,
});

/** Databricks keeps a notebook as a program, whose magics are comments: `# MAGIC %pip install` (its source format). */
const INSTALL = /^(?:# MAGIC )?[!%]?[ \t]?(?:uv[ \t])?pip[ \t]install[ \t]/;

/** Magics above a cell that is Python all the same; below others stands another language. */
const PYTHON_CELL = /^%%(?:time(?:it)?|capture|prun|python[23]?|memit|mprun)\b/;

/** Cells that a shell reads. */
const SHELL_CELL = /^%%(?:bash|sh|shell|script (?:ba)?sh)\b/;

/** Blanks lines that only IPython understands, so that every offset stays. */
function withoutMagics(text: string): Pick<ProgramSource, 'text' | 'installs' | 'commands'> {
  if (!/^[ \t]*(?:[!%?]|# MAGIC %)/m.test(text)) return { text, installs: [], commands: [] };
  const installs: string[] = [];
  const commands = shellLines(text);
  let isContinued = false;
  let isInstalling = false;
  let isForeign = false;
  const lines = text.split('\n').map(line => {
    if (line.startsWith('%%')) isForeign = !PYTHON_CELL.test(line);
    else if (line.startsWith('# %%')) isForeign = false;
    if (isForeign) return ' '.repeat(line.length);
    if (INSTALL.test(line.trimStart()) || (isContinued && isInstalling)) {
      isInstalling = true;
      installs.push(line.replace(/\\$/, ''));
    } else isInstalling = false;
    const isMagic = isContinued || /^[ \t]*[!%?]/.test(line);
    isContinued = isMagic && line.endsWith('\\');
    // The line stands for a statement: an `if` around it keeps a body.
    if (!isMagic) return line;
    const [indent = ''] = /^[ \t]*/.exec(line) ?? [];
    const rest = line.length - indent.length;
    return rest >= 4 ? `${indent}pass${' '.repeat(rest - 4)}` : ' '.repeat(line.length);
  });
  return { text: lines.join('\n'), installs, commands };
}

/** The lines that IPython hands on to a shell. */
function shellLines(text: string): readonly Span[] {
  const found: Span[] = [];
  let isShell = false;
  let isContinued = false;
  let at = 0;
  for (const line of text.split('\n')) {
    const [sign = ''] = /^[ \t]*!/.exec(line) ?? [];
    if (line.startsWith('%%')) isShell = SHELL_CELL.test(line);
    else if (line.startsWith('# %%')) isShell = false;
    else if (isShell || isContinued || sign !== '') {
      found.push({ start: at + (isShell || isContinued ? 0 : sign.length), end: at + line.length });
    }
    isContinued = (isContinued || sign !== '') && line.endsWith('\\');
    at += line.length + 1;
  }
  return found;
}

function mapping(pieces: readonly Piece[]): (span: Span) => Span {
  const placeOf = (offset: number, isEnd: boolean): number => {
    let low = 0;
    let high = pieces.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      const { at } = pieces[middle] ?? { at: Infinity };
      if (isEnd ? at < offset : at <= offset) low = middle;
      else high = middle - 1;
    }
    const piece = pieces[low];
    if (!piece) return 0;
    const within = offset - piece.at;
    if (within >= piece.length) return piece.inFile.end;
    const isPlain = piece.inFile.end - piece.inFile.start === piece.length;
    return isPlain ? piece.inFile.start + within : piece.inFile.start;
  };
  return ({ start, end }) => {
    const first = placeOf(start, false);
    return { start: first, end: end === start ? first : placeOf(end, true) };
  };
}
