import { markdownTable } from 'markdown-table';
import type { Options } from 'markdown-table';
import { visible, visibleJson, visibleLine } from './visible';

const MARK: unique symbol = Symbol.for('headroom.terminal');

/**
 * Text that is safe for a terminal. Only the functions of this file create it, and they treat every string as
 * untrusted: it stays on its line and cannot move the cursor. Only trusted text has line breaks and colors.
 */
export class TerminalText {
  /** Separately loaded bundles each have their own class; the mark is shared between them. */
  readonly [MARK] = true;

  /** @param raw The output, including colors and line breaks. */
  private constructor(readonly raw: string) {}

  /** Text that is trusted or already escaped. */
  static trusted(raw: string): TerminalText {
    return new TerminalText(raw);
  }

  static is(part: unknown): part is TerminalText {
    return typeof part === 'object' && part !== null && MARK in part;
  }

  /** As a string it is untrusted again. */
  toString(): string {
    return visible(this.raw);
  }
}

/** Parts of a text for a terminal; strings are escaped. */
export type Shown = string | number | TerminalText;

const shown = (part: Shown): string => (TerminalText.is(part) ? part.raw : visible(String(part)));

/** terminal`restored ${path}`: the template is trusted, inserted strings are escaped. */
export const terminal = (words: TemplateStringsArray, ...parts: readonly Shown[]): TerminalText =>
  TerminalText.trusted(words.map((word, i) => (i === 0 ? word : shown(parts[i - 1] ?? '') + word)).join(''));

/** Parts with a trusted separator, such as line breaks. */
export const joined = (parts: readonly Shown[], between: string): TerminalText =>
  TerminalText.trusted(parts.map(shown).join(between));

/** Joined by line breaks. */
export const lines = (parts: readonly Shown[]): TerminalText => joined(parts, '\n');

/** Joined by empty lines. */
export const paragraphs = (parts: readonly Shown[]): TerminalText => joined(parts, '\n\n');

/** A text of several lines: keeps line breaks and escapes everything else. */
export const block = (text: string): TerminalText => lines(text.replaceAll('\r\n', '\n').split('\n'));

/** JSON for other programs, pretty-printed or on one line. */
export const json = (value: unknown, indent?: number): TerminalText =>
  TerminalText.trusted(visibleJson(value, indent));

/** A table; the first row is its head. */
export const table = (rows: readonly (readonly string[])[], options: Options = {}): TerminalText =>
  TerminalText.trusted(tableLines(rows, options).join('\n'));

/** The table's lines: head, rule, rows. */
export const tableRows = (rows: readonly (readonly string[])[]): readonly TerminalText[] =>
  tableLines(rows, {}).map(line => TerminalText.trusted(line));

const tableLines = (rows: readonly (readonly string[])[], options: Options): readonly string[] =>
  markdownTable(
    rows.map(row => row.map(cell => visibleLine(cell).replaceAll('|', '/'))),
    options,
  ).split('\n');

/** How a terminal highlights words. */
export interface Paint {
  readonly bold: (text: Shown) => TerminalText;
  readonly dim: (text: Shown) => TerminalText;
  readonly good: (text: Shown) => TerminalText;
  readonly warn: (text: Shown) => TerminalText;
  readonly bad: (text: Shown) => TerminalText;
}

/** A paint from functions that wrap a text. */
export function paintWith(marks: Readonly<Record<keyof Paint, (text: string) => string>>): Paint {
  const by =
    (mark: (text: string) => string) =>
    (text: Shown): TerminalText =>
      TerminalText.trusted(mark(shown(text)));
  const { bold, dim, good, warn, bad } = marks;
  return { bold: by(bold), dim: by(dim), good: by(good), warn: by(warn), bad: by(bad) };
}

const identity = (text: string): string => text;

/** Without colors. */
export const plainPaint: Paint = paintWith({
  bold: identity,
  dim: identity,
  good: identity,
  warn: identity,
  bad: identity,
});
