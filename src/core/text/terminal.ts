import { markdownTable } from 'markdown-table';
import type { Options } from 'markdown-table';
import { visible, visibleJson, visibleLine } from './visible';

const MARK: unique symbol = Symbol.for('headroom.terminal');

/**
 * Text as a terminal may get it. Only the functions of this file make one, and they take every string for a stranger's: it
 * stays on its line and cannot move the cursor. Lines and colors are ours alone.
 */
export class TerminalText {
  /** Parts of the program that are loaded by themselves have this class once each: the mark is one for all. */
  readonly [MARK] = true;

  /** @param raw What is written, colors and line breaks included. */
  private constructor(readonly raw: string) {}

  /** Text whose every character is ours, or was escaped before. */
  static ours(raw: string): TerminalText {
    return new TerminalText(raw);
  }

  static is(part: unknown): part is TerminalText {
    return typeof part === 'object' && part !== null && MARK in part;
  }

  /** In a string it is a stranger's again. */
  toString(): string {
    return visible(this.raw);
  }
}

/** What may stand in a text for a terminal; strings are escaped. */
export type Shown = string | number | TerminalText;

const shown = (part: Shown): string => (TerminalText.is(part) ? part.raw : visible(String(part)));

/** terminal`restored ${path}`: words of the template are ours, strings put into it are escaped. */
export const terminal = (words: TemplateStringsArray, ...parts: readonly Shown[]): TerminalText =>
  TerminalText.ours(words.map((word, i) => (i === 0 ? word : shown(parts[i - 1] ?? '') + word)).join(''));

/** Some texts with something of ours in between, such as line breaks. */
export const joined = (parts: readonly Shown[], between: string): TerminalText =>
  TerminalText.ours(parts.map(shown).join(between));

/** One below the other. */
export const lines = (parts: readonly Shown[]): TerminalText => joined(parts, '\n');

/** One below the other, with an empty line in between. */
export const paragraphs = (parts: readonly Shown[]): TerminalText => joined(parts, '\n\n');

/** A text of several lines: its line breaks stay, all else is escaped. */
export const block = (text: string): TerminalText => lines(text.replaceAll('\r\n', '\n').split('\n'));

/** For programs that read it: pretty, or on one line. */
export const json = (value: unknown, indent?: number): TerminalText =>
  TerminalText.ours(visibleJson(value, indent));

/** A table; its head is the first row. */
export const table = (rows: readonly (readonly string[])[], options: Options = {}): TerminalText =>
  TerminalText.ours(tableLines(rows, options).join('\n'));

/** The lines of the same: head, rule, rows. */
export const tableRows = (
  rows: readonly (readonly string[])[],
  options: Options = {},
): readonly TerminalText[] => tableLines(rows, options).map(line => TerminalText.ours(line));

const tableLines = (rows: readonly (readonly string[])[], options: Options): readonly string[] =>
  markdownTable(
    rows.map(row => row.map(cell => visibleLine(cell).replaceAll('|', '/'))),
    options,
  ).split('\n');

/** How a terminal marks words. */
export interface Paint {
  readonly bold: (text: Shown) => TerminalText;
  readonly dim: (text: Shown) => TerminalText;
  readonly good: (text: Shown) => TerminalText;
  readonly warn: (text: Shown) => TerminalText;
  readonly bad: (text: Shown) => TerminalText;
}

/** A paint of functions that put marks around a text. */
export function paintWith(marks: Readonly<Record<keyof Paint, (text: string) => string>>): Paint {
  const by =
    (mark: (text: string) => string) =>
    (text: Shown): TerminalText =>
      TerminalText.ours(mark(shown(text)));
  const { bold, dim, good, warn, bad } = marks;
  return { bold: by(bold), dim: by(dim), good: by(good), warn: by(warn), bad: by(bad) };
}

const same = (text: string): string => text;

/** Without colors. */
export const plainPaint: Paint = paintWith({ bold: same, dim: same, good: same, warn: same, bad: same });
