import { CELL } from '../text/cells';
import type { Span } from '../text/span';

/** A run of characters that stand in the file as in the text, or one escape. */
export interface Piece {
  readonly at: number;
  readonly length: number;
  readonly inFile: Span;
}

/** The code of a notebook, with the place of each part in the file. */
interface CellCode {
  readonly text: string;
  readonly pieces: readonly Piece[];
}

/** Deeper JSON is no notebook. */
const DEEPEST = 64;

/** The code cells of a notebook (nbformat 4), each as by `cellText`; null if the file is not one. */
export function codeCells(json: string): CellCode | null {
  try {
    return new NotebookReader(json).read();
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

interface StringAt {
  readonly start: number;
  readonly end: number;
}

/** Reads JSON only as far as needed: keys, and the strings of cells. */
class NotebookReader {
  private at = 0;
  private text = '';
  private readonly pieces: Piece[] = [];
  private hasCells = false;

  constructor(private readonly json: string) {}

  read(): CellCode | null {
    this.object(key => {
      if (key === 'cells') {
        this.hasCells = true;
        this.list(() => {
          this.cell();
        });
      } else this.skip(1);
    });
    return this.hasCells ? { text: this.text, pieces: this.pieces } : null;
  }

  private cell(): void {
    let type = '';
    let source: readonly StringAt[] = [];
    this.object(key => {
      if (key === 'cell_type' && this.peek() === '"') {
        const { start, end } = this.string();
        type = this.json.slice(start, end);
      } else if (key === 'source') source = this.strings();
      else this.skip(2);
    });
    if (type !== 'code') return;
    this.add(CELL, source[0]?.start ?? this.at);
    for (const one of source) this.decode(one);
    if (!this.text.endsWith('\n') || this.text.endsWith(CELL)) this.add('\n', source.at(-1)?.end ?? this.at);
  }

  private strings(): readonly StringAt[] {
    if (this.peek() === '"') return [this.string()];
    const all: StringAt[] = [];
    if (this.peek() === '[') this.list(() => void all.push(this.string()));
    else this.skip(2);
    return all;
  }

  /** What only the joined text has. */
  private add(text: string, inFile: number): void {
    this.pieces.push({ at: this.text.length, length: text.length, inFile: { start: inFile, end: inFile } });
    this.text += text;
  }

  private decode({ start, end }: StringAt): void {
    let from = start;
    while (from < end) {
      const escape = this.json.indexOf('\\', from);
      const to = escape < 0 || escape >= end ? end : escape;
      if (to > from) this.push(this.json.slice(from, to), from, to);
      if (to === end) return;
      const length = this.json[to + 1] === 'u' ? 6 : 2;
      this.push(JSON.parse(`"${this.json.slice(to, to + length)}"`) as string, to, to + length);
      from = to + length;
    }
  }

  private push(text: string, start: number, end: number): void {
    this.pieces.push({ at: this.text.length, length: text.length, inFile: { start, end } });
    this.text += text;
  }

  private peek(): string {
    while (/\s/.test(this.json[this.at] ?? '')) this.at++;
    return this.json[this.at] ?? '';
  }

  private take(sign: string): void {
    if (this.peek() !== sign) throw new SyntaxError(`no ${sign}`);
    this.at++;
  }

  private object(value: (key: string) => void): void {
    this.take('{');
    if (this.peek() === '}') {
      this.at++;
      return;
    }
    for (;;) {
      const { start, end } = this.string();
      this.take(':');
      value(this.json.slice(start, end));
      if (this.peek() !== ',') break;
      this.at++;
    }
    this.take('}');
  }

  private list(item: () => void): void {
    this.take('[');
    if (this.peek() === ']') {
      this.at++;
      return;
    }
    for (;;) {
      item();
      if (this.peek() !== ',') break;
      this.at++;
    }
    this.take(']');
  }

  /** A string without its quotes. */
  private string(): StringAt {
    this.take('"');
    const start = this.at;
    for (;;) {
      const quote = this.json.indexOf('"', this.at);
      if (quote < 0) throw new SyntaxError('a string without an end');
      let slashes = 0;
      while (quote - slashes - 1 >= start && this.json[quote - slashes - 1] === '\\') slashes++;
      this.at = quote + 1;
      if (slashes % 2 === 0) return { start, end: quote };
    }
  }

  private skip(depth: number): void {
    if (depth > DEEPEST) throw new SyntaxError('nested too deeply');
    const first = this.peek();
    if (first === '{') this.object(() => this.skip(depth + 1));
    else if (first === '[') this.list(() => this.skip(depth + 1));
    else if (first === '"') this.string();
    else {
      const from = this.at;
      while (/[\w.+-]/.test(this.json[this.at] ?? '')) this.at++;
      if (this.at === from) throw new SyntaxError('no value');
    }
  }
}
