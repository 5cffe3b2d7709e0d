import { markdownTable } from 'markdown-table';
import type { Options } from 'markdown-table';
import { visible, visibleLine } from './visible';

const MARK: unique symbol = Symbol.for('headroom.markdown');

/**
 * Text that is safe for the editor's Markdown views. Only the functions of this file create it, and they treat
 * every string as untrusted: it stays plain text, never a link, a picture, HTML or another block.
 */
export class Markdown {
  /** Separately loaded bundles each have their own class; the mark is shared between them. */
  readonly [MARK] = true;

  private constructor(readonly source: string) {}

  /** Markdown that is trusted or already escaped. */
  static trusted(source: string): Markdown {
    return new Markdown(source);
  }

  static is(part: unknown): part is Markdown {
    return typeof part === 'object' && part !== null && MARK in part;
  }

  /** As a string it is untrusted again. */
  toString(): string {
    return escaped(this.source);
  }

  get isEmpty(): boolean {
    return this.source === '';
  }
}

/** Parts of Markdown; strings are escaped. */
export type Words = string | number | Markdown;

/** Untrusted text as Markdown that displays it literally. */
export const escaped = (text: string): string =>
  visibleLine(text)
    .replace(/[\\`*_{}[\]()#+!|<>~&$@]/g, character => `\\${character}`)
    // URLs become links automatically.
    .replace(/:(?=\/\/)/g, '\\:')
    .replace(/(www)\./gi, '$1\\.')
    // Characters that start a list or a heading at the beginning of a line.
    .replace(/^( ?)([-=])/, '$1\\$2')
    .replace(/^( ?\d+)([.)])(?=\s|$)/, '$1\\$2');

const words = (part: Words): string => (Markdown.is(part) ? part.source : escaped(String(part)));

/** mdText`**${name}**`: the template is trusted, inserted strings are escaped. */
export const mdText = (template: TemplateStringsArray, ...parts: readonly Words[]): Markdown =>
  Markdown.trusted(template.map((word, i) => (i === 0 ? word : words(parts[i - 1] ?? '') + word)).join(''));

/** A text with placeholders, filled with Markdown. */
export const mdFilled = (template: string, parts: readonly Words[]): Markdown =>
  Markdown.trusted(
    template
      .split(/\{(\d)\}/)
      .map((word, i) => words(i % 2 === 0 ? word : (parts[Number(word)] ?? '')))
      .join(''),
  );

/** Parts with a trusted separator. */
export const mdJoined = (parts: readonly Words[], between: string): Markdown =>
  Markdown.trusted(parts.map(words).join(between));

/** Paragraphs; omits empty ones. */
export const mdParagraphs = (parts: readonly Words[]): Markdown =>
  Markdown.trusted(
    parts
      .map(words)
      .filter(part => part !== '')
      .join('\n\n'),
  );

/** Inline code, with more backticks around it than the longest run inside. */
export function mdCode(text: string): Markdown {
  // In a table cell, even code ends at a vertical bar.
  const line = visibleLine(text).replaceAll('|', '/');
  if (line === '') return Markdown.trusted('');
  const ticks = '`'.repeat(longestTicks(line) + 1);
  const pad = /^`|`$|^ .* $/.test(line) ? ' ' : '';
  return Markdown.trusted(`${ticks}${pad}${line}${pad}${ticks}`);
}

/** A code block to copy: keeps its lines and makes everything else visible. */
export function mdFence(text: string, language: 'sh' | 'text'): Markdown {
  const fence = '`'.repeat(Math.max(3, longestTicks(text) + 1));
  const lines = text.split('\n').map(line => visible(line.replace(/\r$/, '').replaceAll('\t', '  ')));
  return Markdown.trusted(`${fence}${language}\n${lines.join('\n')}\n${fence}`);
}

const longestTicks = (text: string): number =>
  Math.max(0, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));

/** Addresses that Headroom creates: its commands, and pictures that it drew. */
const OWN_COMMAND = /^command:headroom\.\w+(?:\?[\w%.!~*'-]*)?$/;
const OWN_PICTURE = /^data:image\/svg\+xml;utf8,[\w%.!~*'-]*$/;

/** A link to one of Headroom's commands; for any other address, only the title. */
export function mdCommand(title: string, address: string): Markdown {
  const safe = unbracketed(address);
  return OWN_COMMAND.test(safe) ? Markdown.trusted(`[${escaped(title)}](${safe})`) : mdText`${title}`;
}

/** A picture that Headroom drew; empty for any other address, because a view would fetch it. */
export function mdPicture(says: string, address: string): Markdown {
  const safe = unbracketed(address);
  return Markdown.trusted(OWN_PICTURE.test(safe) ? `![${escaped(says)}](${safe})` : '');
}

const unbracketed = (address: string): string => address.replaceAll('(', '%28').replaceAll(')', '%29');

/** A table; the first row is its head. */
export const mdTable = (rows: readonly (readonly Words[])[], options: Options = {}): Markdown =>
  Markdown.trusted(
    markdownTable(
      rows.map(row => row.map(words)),
      options,
    ),
  );
