import { stripVTControlCharacters } from 'node:util';
import type { ToolOutput } from '../tool';

/** A line without color and cursor sequences, and without the `^C` that ends a stream; blanks that a page may not break are blanks. */
export function plainText(text: string): string {
  const spaced = text.replace(/\u00a0/g, ' ').replace(/^\^C(?=[ \t])/gm, '');
  return spaced.includes('\u001B') || spaced.includes('\u009B') ? stripVTControlCharacters(spaced) : spaced;
}

/** Appended to truncated text, so that a truncated number at its end does not count as one. */
const CUT = '…';

/** Output for parsing: without colors, and with a mark if it ends within a line. */
export function plainOutput(output: ToolOutput): ToolOutput {
  const stdout = plainText(output.stdout);
  const said = stdout.trimEnd();
  const isCut = stdout !== '' && !/[}\]>]$/.test(said) && !stdout.slice(said.length).includes('\n');
  return { ...output, stdout: isCut ? stdout + CUT : stdout, stderr: plainText(output.stderr) };
}

/** Text without the indentation that all of its lines share: people paste outputs into lists and code blocks. */
export function dedented(text: string): string {
  const lines = text.split('\n');
  const indents = lines.filter(line => line.trim() !== '').map(line => line.length - line.trimStart().length);
  const shared = Math.min(...indents.slice(0, MOST_INDENTS));
  return shared > 0 && Number.isFinite(shared) && indents.every(indent => indent >= shared)
    ? lines.map(line => line.slice(shared)).join('\n')
    : text;
}

/** Lines whose indentation is compared at once. */
const MOST_INDENTS = 1000;

/** Cells of a line whose columns are at least two spaces apart; single spaces belong to a cell (`171 W`). */
export function cellsOf(line: string): readonly string[] {
  return line
    .trim()
    .split(/\s{2,}/)
    .filter(cell => cell !== '');
}

/** A row by its column names; null if the number of cells differs. */
export function rowBy(
  names: readonly string[],
  cells: readonly string[],
): ReadonlyMap<string, string> | null {
  return names.length === cells.length ? new Map(names.map((name, at) => [name, cells[at] ?? ''])) : null;
}

/** Cells of a CSV line, with optional quotes. */
export function csvCells(line: string): readonly string[] {
  return [...line.matchAll(/(?:^|,)\s*(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(([, quoted, plain]) =>
    (quoted?.replaceAll('""', '"') ?? plain ?? '').trim(),
  );
}

/** Splits text into lines and emits each complete one. Of an overlong line, only the end is kept. */
export class Lines {
  private rest = '';

  constructor(
    private readonly mostCharacters: number,
    private readonly give: (line: string) => void,
  ) {}

  add(text: string): void {
    let from = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', from)) {
      const line = this.rest + text.slice(from, end);
      this.rest = '';
      from = end + 1;
      this.give(line.endsWith('\r') ? line.slice(0, -1) : line);
    }
    this.rest = (this.rest + text.slice(from)).slice(-this.mostCharacters);
  }
}
