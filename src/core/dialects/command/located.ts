import type { Located } from '../../text/located';
import type { ScalarNode, YamlDocument, YamlFile, YamlNode } from '../../yaml/node';
import { parseConfig } from '../../yaml/file';

/** A part of a text. */
export const slice = ({ text, at }: Located, start: number, end: number): Located => ({
  text: text.slice(start, end),
  at: at.slice(start, end + 1),
});

/** A text that stands for what is at this place. */
export const placed = (text: string, place: number): Located => ({
  text,
  at: Array.from({ length: text.length + 1 }, () => place),
});

/** Concatenates texts. */
export function joined(parts: readonly Located[]): Located {
  const ends = parts.at(-1)?.at.at(-1) ?? 0;
  return {
    text: parts.map(({ text }) => text).join(''),
    at: [...parts.flatMap(({ text, at }) => at.slice(0, text.length)), ends],
  };
}

/** A text with what its references stand for, each at the place of its reference; what is unknown stays as written. */
export function withReferences(
  text: Located,
  pattern: RegExp,
  valueOf: (name: string) => string | null | undefined,
): Located {
  const parts: Located[] = [];
  let from = 0;
  let left = MOST_FILLED;
  for (const { 0: written, 1: name = '', index } of text.text.matchAll(pattern)) {
    const value = valueOf(name) ?? null;
    left -= value?.length ?? 0;
    if (value === null || left < 0) continue;
    parts.push(slice(text, from, index), placed(value, text.at[index] ?? 0));
    from = index + written.length;
  }
  return from === 0 ? text : joined([...parts, slice(text, from, text.text.length)]);
}

/** Limit for characters that references stand for: one can stand for others. */
const MOST_FILLED = 100_000;

/** A whole text. */
export const whole = (text: string): Located => ({
  text,
  at: Array.from({ length: text.length + 1 }, (_, i) => i),
});

/** The text of a scalar, without block indentation and quotes. */
export function located(node: ScalarNode, outer: string): Located {
  const { start, end } = node.span;
  if (node.style === 'literal') return block(outer, start, end);
  if (node.style === 'folded') return folded(block(outer, start, end));
  if (node.style === 'double') return unescaped(outer, start + 1, end - 1);
  const quote = node.style === 'single' ? 1 : 0;
  return gathered(outer, ranges(start + quote, end - quote));
}

function ranges(start: number, end: number): number[] {
  return Array.from({ length: Math.max(0, end - start) }, (_, i) => start + i);
}

function gathered(outer: string, kept: readonly number[]): Located {
  return { text: kept.map(i => outer[i] ?? '').join(''), at: [...kept, (kept.at(-1) ?? -1) + 1] };
}

/** Lines below a block header, without the indentation of the first one. */
function block(outer: string, start: number, end: number): Located {
  const first = outer.indexOf('\n', start) + 1;
  if (first === 0) return { text: '', at: [end] };
  const lines = outer.slice(first, end).split('\n');
  const indent = /^ */.exec(lines.find(line => line.trim() !== '') ?? '')?.[0].length ?? 0;
  const kept: number[] = [];
  let at = first;
  for (const line of lines) {
    for (let i = Math.min(indent, line.length); i < line.length; i++) kept.push(at + i);
    at += line.length;
    if (at < end) kept.push(at);
    at += 1;
  }
  return gathered(outer, kept);
}

/** A line break between two lines that are indented alike is a space, so that what follows goes on with the command. */
function folded({ text, at }: Located): Located {
  return { text: text.replaceAll(/(?<![\n\\])\n(?![\n \t]|$)/g, ' '), at };
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t' };

/** The content of double quotes: an escape sequence becomes one character. */
function unescaped(outer: string, start: number, end: number): Located {
  const at: number[] = [];
  let text = '';
  for (let i = start; i < end; i++) {
    const escaped = outer[i] === '\\' && i + 1 < end;
    at.push(i);
    if (escaped) i += 1;
    const character = outer[i] ?? '';
    text += escaped ? (ESCAPES[character] ?? character) : character;
  }
  return { text, at: [...at, end] };
}

/** YAML in a scalar of a file, as a document of that file, with spans in that file. */
export function embedded(node: ScalarNode, outer: YamlFile): YamlDocument | null {
  return documentIn(located(node, outer.text), node.span);
}

/** The first document of a text that is part of a file, with spans in that file; `span`: where it stands. */
export function documentIn(inner: Located, span: YamlNode['span'], name = '.yaml'): YamlDocument | null {
  const document = parseConfig(name, inner.text).documents[0];
  if (!document?.root) return null;
  return { ...document, root: movedInto(document.root, inner), span };
}

/** A node of a text within a file, with spans in that file. */
export function movedInto(node: YamlNode, { at }: Located): YamlNode {
  const last = at.at(-1) ?? 0;
  const move: Move = ({ start, end }) => ({
    start: at[start] ?? last,
    end: end > start ? (at[end - 1] ?? last) + 1 : (at[end] ?? last),
  });
  return moved(node, move, new Map());
}

type Move = (span: YamlNode['span']) => YamlNode['span'];

function moved(node: YamlNode, move: Move, done: Map<YamlNode, YamlNode>): YamlNode {
  const before = done.get(node);
  if (before) return before;
  const fresh = movedNode(node, move, done);
  done.set(node, fresh);
  return fresh;
}

function movedNode(node: YamlNode, move: Move, done: Map<YamlNode, YamlNode>): YamlNode {
  const span = move(node.span);
  if (node.kind === 'scalar') return { ...node, span };
  if (node.kind === 'alias') {
    return { ...node, span, target: node.target && moved(node.target, move, done) };
  }
  if (node.kind === 'sequence') {
    return { ...node, span, items: node.items.map(item => moved(item, move, done)) };
  }
  const entries = node.entries.map(entry => ({
    ...entry,
    keySpan: move(entry.keySpan),
    value: moved(entry.value, move, done),
  }));
  return { ...node, span, entries };
}
