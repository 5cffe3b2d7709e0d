import { YamlBudget, checkText, defaultLimits } from '../limits';
import type { MapNode, Opaque, ScalarNode, SequenceNode, YamlFile, YamlNode, YamlProblem } from '../node';
import { TomlMistake, scanBare, scanString } from './scan';
import { Table } from './table';
import type { Key } from './table';

/**
 * Parses a TOML 1.1 text into the tree that YAML files have: tables are mappings, arrays and lists of tables are
 * sequences, dates are text. Never throws: a line that is not TOML becomes a problem, and the rest of the file is
 * still available. Takes a time in proportion to the text.
 */
export function parseToml(text: string): YamlFile {
  const refused = checkText(text, defaultLimits);
  if (refused) return { text, documents: [], problems: [refused] };
  return new Reader(text).read();
}

const BARE_KEY = /[A-Za-z0-9_-]+/y;
/** Blanks, line breaks and comments. */
const BETWEEN = /(?:[ \t\r\n]|#[^\n]*)*/y;
const BLANKS = /[ \t]*/y;
/** What may follow a value or a header on its line. */
const REST = /[ \t]*(?:#[^\n]*)?(?:\r?\n|$)/y;
/** The first character that a TOML text may not contain: a control character, or a carriage return alone. */
function controlIn(text: string): number {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x0d && text.charCodeAt(at + 1) !== 0x0a) return at;
    const isBlank = code === 0x09 || code === 0x0a || code === 0x0d;
    if ((code < 0x20 && !isBlank) || code === 0x7f) return at;
  }
  return -1;
}

class Reader {
  private at: number;
  private readonly problems: YamlProblem[] = [];
  private readonly budget = new YamlBudget(defaultLimits);
  private readonly root = new Table('root', 0, { start: 0, end: 0 });
  private current = this.root;

  constructor(private readonly text: string) {
    this.at = text.startsWith('\uFEFF') ? 1 : 0;
    this.root.span = { start: this.at, end: text.length };
  }

  read(): YamlFile {
    const { text, problems } = this;
    const control = controlIn(text);
    if (control >= 0) this.report(new TomlMistake(control, 'a control character is not allowed here'));
    while (this.skip(BETWEEN) < text.length && problems.length < defaultLimits.problems) {
      try {
        this.statement();
      } catch (error) {
        if (!(error instanceof TomlMistake)) throw error;
        this.report(error);
        const end = text.indexOf('\n', Math.max(this.at, error.at));
        this.at = end < 0 ? text.length : end;
      }
    }
    const root = this.root.node(node => {
      this.budget.add(node);
    });
    const { passed } = this.budget;
    if (passed !== null) {
      const problem: YamlProblem = { code: 'too-large', span: { start: 0, end: 0 }, message: passed };
      return { text, documents: [], problems: [problem] };
    }
    const span = { start: 0, end: text.length };
    const document = { index: 0, root, span, sharedAnchors: new Set<string>(), syntax: 'toml' } as const;
    return { text, documents: [document], problems };
  }

  private report({ at, message, code }: TomlMistake): void {
    this.problems.push({ code, span: { start: at, end: at + 1 }, message: `TOML: ${message}.` });
  }

  /** Moves behind what a pattern matches here; the new place. */
  private skip(pattern: RegExp): number {
    pattern.lastIndex = this.at;
    if (pattern.test(this.text)) this.at = pattern.lastIndex;
    return this.at;
  }

  private statement(): void {
    const start = this.at;
    if (this.text[start] === '[') this.header(start);
    else {
      const keys = this.keys();
      this.expect('=', 'an equals sign is missing');
      this.skip(BLANKS);
      const value = this.value(this.current.depth + keys.length);
      this.endOfLine();
      this.current.set(keys, value);
    }
  }

  private header(start: number): void {
    const isItem = this.text[start + 1] === '[';
    // Keys below a header that is wrong belong to nothing.
    this.current = new Table('header', 1, { start, end: start });
    this.at += isItem ? 2 : 1;
    const keys = this.keys();
    this.expect(']', 'a closing bracket is missing');
    if (isItem) {
      if (this.text[this.at] !== ']') throw new TomlMistake(this.at, 'a closing bracket is missing');
      this.at += 1;
    }
    const header = { start, end: this.at };
    this.endOfLine();
    this.current = this.root.opened(keys, header, isItem);
  }

  private endOfLine(): void {
    const before = this.at;
    if (this.skip(REST) > before || before === this.text.length) return;
    throw new TomlMistake(before, 'nothing may follow on this line');
  }

  private expect(character: string, otherwise: string): void {
    if (this.text[this.skip(BLANKS)] !== character) throw new TomlMistake(this.at, otherwise);
    this.at += 1;
  }

  private keys(): readonly Key[] {
    const keys: Key[] = [];
    do {
      if (keys.length > 0) this.at += 1;
      keys.push(this.key(this.skip(BLANKS)));
      if (keys.length > defaultLimits.depth) throw this.tooDeep();
    } while (this.text[this.skip(BLANKS)] === '.');
    return keys;
  }

  private key(start: number): Key {
    const quote = this.text[start];
    if (quote !== '"' && quote !== "'") {
      const end = this.skip(BARE_KEY);
      if (end === start) throw new TomlMistake(start, 'a key is missing');
      return { name: this.text.slice(start, end), span: { start, end } };
    }
    const { value, style, end } = scanString(this.text, start);
    if (style === 'folded' || style === 'literal') throw new TomlMistake(start, 'a key has one line');
    this.at = end;
    return { name: String(value), span: { start, end } };
  }

  private tooDeep(): TomlMistake {
    return new TomlMistake(this.at, `there are more than ${defaultLimits.depth} levels`, 'too-deep');
  }

  private value(depth: number): YamlNode {
    if (depth > defaultLimits.depth) throw this.tooDeep();
    const start = this.at;
    const first = this.text[start];
    const node = first === '[' ? this.array(depth) : first === '{' ? this.inline(depth) : this.scalar(start);
    if (first !== '{') this.budget.add(node);
    return node;
  }

  private scalar(start: number): ScalarNode {
    const quote = this.text[start];
    const isText = quote === '"' || quote === "'";
    const { value, style, end } = isText ? scanString(this.text, start) : scanBare(this.text, start);
    this.at = end;
    const source = this.text.slice(start, end);
    const opaque = isText ? opaqueness(source) : null;
    return { kind: 'scalar', value, source, style, opaque, span: { start, end }, anchor: null, exact: true };
  }

  private array(depth: number): SequenceNode {
    const start = this.at;
    const items: YamlNode[] = [];
    this.at += 1;
    while (this.text[this.skip(BETWEEN)] !== ']') {
      items.push(this.value(depth + 1));
      if (this.text[this.skip(BETWEEN)] === ',') this.at += 1;
      else if (this.text[this.at] !== ']') throw this.missing(']', start);
    }
    this.at += 1;
    return { kind: 'sequence', items, flow: true, span: { start, end: this.at }, anchor: null };
  }

  private inline(depth: number): MapNode {
    const start = this.at;
    const table = new Table('inline', depth, { start, end: start });
    this.at += 1;
    while (this.text[this.skip(BETWEEN)] !== '}') {
      const keys = this.keys();
      this.expect('=', 'an equals sign is missing');
      this.skip(BLANKS);
      table.set(keys, this.value(depth + keys.length));
      if (this.text[this.skip(BETWEEN)] === ',') this.at += 1;
      else if (this.text[this.at] !== '}') throw this.missing('}', start);
    }
    this.at += 1;
    table.span = { start, end: this.at };
    return table.node(node => {
      this.budget.add(node);
    });
  }

  /** A bracket that is never closed is told where it opens. */
  private missing(bracket: string, start: number): TomlMistake {
    const at = this.at < this.text.length ? this.at : start;
    return new TomlMistake(at, `${bracket} or a comma is missing`);
  }
}

function opaqueness(written: string): Opaque | null {
  if (written.includes('${')) return 'interpolation';
  return written.includes('{{') || written.includes('{%') ? 'template' : null;
}
