import { markdownTable } from 'markdown-table';
import type { Options } from 'markdown-table';
import { visible, visibleLine } from './visible';

const MARK: unique symbol = Symbol.for('headroom.markdown');

/**
 * Text as a Markdown view of the editor may get it. Only the functions of this file make one, and they take every string for a
 * stranger's: it stays plain words, never a link, a picture, HTML or another block.
 */
export class Markdown {
  /** Parts of the program that are loaded by themselves have this class once each: the mark is one for all. */
  readonly [MARK] = true;

  private constructor(readonly source: string) {}

  /** Markdown whose every character is ours, or was escaped before. */
  static ours(source: string): Markdown {
    return new Markdown(source);
  }

  static is(part: unknown): part is Markdown {
    return typeof part === 'object' && part !== null && MARK in part;
  }

  /** In a string it is a stranger's again. */
  toString(): string {
    return escaped(this.source);
  }

  get isEmpty(): boolean {
    return this.source === '';
  }
}

/** What may stand in Markdown; strings are escaped. */
export type Words = string | number | Markdown;

/** A stranger's words as Markdown that shows just them. */
export const escaped = (text: string): string =>
  visibleLine(text)
    .replace(/[\\`*_{}[\]()#+!|<>~&$@]/g, character => `\\${character}`)
    // Addresses become links by themselves.
    .replace(/:(?=\/\/)/g, '\\:')
    .replace(/(www)\./gi, '$1\\.')
    // What makes a list or a heading at the start of a line.
    .replace(/^( ?)([-=])/, '$1\\$2')
    .replace(/^( ?\d+)([.)])(?=\s|$)/, '$1\\$2');

const words = (part: Words): string => (Markdown.is(part) ? part.source : escaped(String(part)));

/** mdText`**${name}**`: words of the template are ours, strings put into it are escaped. */
export const mdText = (template: TemplateStringsArray, ...parts: readonly Words[]): Markdown =>
  Markdown.ours(template.map((word, i) => (i === 0 ? word : words(parts[i - 1] ?? '') + word)).join(''));

/** Some texts with something of ours in between. */
export const mdJoined = (parts: readonly Words[], between: string): Markdown =>
  Markdown.ours(parts.map(words).join(between));

/** Paragraphs; empty ones are left out. */
export const mdParagraphs = (parts: readonly Words[]): Markdown =>
  Markdown.ours(
    parts
      .map(words)
      .filter(part => part !== '')
      .join('\n\n'),
  );

/** Code in a line: with more backticks around it than it has in a row. */
export function mdCode(text: string): Markdown {
  // In a table's cell even code ends at a bar.
  const line = visibleLine(text).replaceAll('|', '/');
  if (line === '') return Markdown.ours('');
  const ticks = '`'.repeat(longestTicks(line) + 1);
  const pad = /^`|`$|^ .* $/.test(line) ? ' ' : '';
  return Markdown.ours(`${ticks}${pad}${line}${pad}${ticks}`);
}

/** A block of code, which a reader copies by itself: its lines stay, all else is made visible. */
export function mdFence(text: string, language: 'sh' | 'text'): Markdown {
  const fence = '`'.repeat(Math.max(3, longestTicks(text) + 1));
  const lines = text.split('\n').map(line => visible(line.replace(/\r$/, '').replaceAll('\t', '  ')));
  return Markdown.ours(`${fence}${language}\n${lines.join('\n')}\n${fence}`);
}

const longestTicks = (text: string): number =>
  Math.max(0, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));

/** Addresses that Headroom itself makes: its commands, and pictures that it drew. */
const OWN_COMMAND = /^command:headroom\.\w+(?:\?[\w%.!~*'-]*)?$/;
const OWN_PICTURE = /^data:image\/svg\+xml;utf8,[\w%.!~*'-]*$/;

/** A link to a command of ours; any other address leaves the title alone. */
export function mdCommand(title: string, address: string): Markdown {
  const safe = unbracketed(address);
  return OWN_COMMAND.test(safe) ? Markdown.ours(`[${escaped(title)}](${safe})`) : mdText`${title}`;
}

/** A picture that Headroom drew; any other address leaves nothing, for a view would fetch it. */
export function mdPicture(says: string, address: string): Markdown {
  const safe = unbracketed(address);
  return Markdown.ours(OWN_PICTURE.test(safe) ? `![${escaped(says)}](${safe})` : '');
}

const unbracketed = (address: string): string => address.replaceAll('(', '%28').replaceAll(')', '%29');

/** A table; its head is the first row. */
export const mdTable = (rows: readonly (readonly Words[])[], options: Options = {}): Markdown =>
  Markdown.ours(
    markdownTable(
      rows.map(row => row.map(words)),
      options,
    ),
  );
