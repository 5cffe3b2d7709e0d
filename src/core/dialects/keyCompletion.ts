import type { RunSpec } from '../spec/runSpec';
import type { Span } from '../text/span';
import type { YamlNode } from '../yaml/node';
import { parseText } from '../yaml/file';
import { looksLikeToml } from '../yaml/toml/detect';
import { resolve } from '../yaml/path';
import type { YamlPath } from '../yaml/path';
import { dialectOfRun, findDialect } from './find';
import { noteBelow } from './keyNotes';
import type { KeyNote } from './keyNotes';
import { keysReadByRules, keyTables } from './engine/keyTable';
import { readerOf } from './write';

/** A key that can be typed at the cursor. */
interface OfferedKey {
  readonly name: string;
  /** The dialect's note; null if only the name is known. */
  readonly note: KeyNote | null;
}

interface OfferedKeys {
  readonly keys: readonly OfferedKey[];
  /** The typed part of the name, including quotes. */
  readonly typed: Span;
  /** Names are quoted because the file is JSON. */
  readonly quoted: boolean;
  /** A colon or an equals sign follows already. */
  readonly hasValue: boolean;
  /** What stands between a name and its value. */
  readonly separator: string;
}

/** Longer texts are not parsed again for a typed word. */
const LONGEST = 200_000;

/** A placeholder key at the cursor; its position in the parsed tree tells the section. */
const CURSOR = '__headroom_cursor__';

/** `- - key` at the start of a line, or a key after a brace or a comma. */
const BLOCK = /^(\s*(?:- +)*)(["']?)([\w.-]*)$/;
const FLOW = /(^|[{,])\s*(["']?)([\w.-]*)$/;

/** The keys of the run's dialect that are not there yet, if the cursor is at a place for a key. */
export function keysAt(run: RunSpec, text: string, offset: number): OfferedKeys | null {
  if (text.length > LONGEST) return null;
  const at = placeAt(text, offset);
  const path = at && sectionOf(text, at);
  if (!at || !path) return null;
  const dialect = dialectOfRun(run);
  const names = new Set([
    ...keyTables.of(dialect, findDialect).below(path.section),
    ...keysReadByRules(readerOf(run)).below(path.section),
  ]);
  const section = path.section.filter(part => typeof part === 'string');
  const keys = [...names]
    .filter(name => !path.present.includes(name) && /^[\w.-]+$/.test(name))
    .sort()
    .map(name => ({ name, note: noteBelow(dialect, [...section, name]) }));
  const separator = looksLikeToml(text) ? ' = ' : ': ';
  return { keys, typed: at.typed, quoted: at.quote === '"' || at.inJson, hasValue: at.hasValue, separator };
}

interface Place {
  readonly typed: Span;
  readonly quote: string;
  readonly inFlow: boolean;
  readonly inJson: boolean;
  readonly hasValue: boolean;
}

function placeAt(text: string, offset: number): Place | null {
  const inJson = /^\s*[{[]/.test(text) && !looksLikeToml(text);
  const before = inJson
    ? text.slice(Math.max(0, offset - 400), offset)
    : text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset);
  const block = inJson ? null : BLOCK.exec(before);
  const [, , quote, name] = block ?? (inJson || isOpen(before) ? FLOW.exec(before) : null) ?? [];
  if (quote === undefined || name === undefined) return null;
  const rest = /^[\w.-]*/.exec(text.slice(offset))?.[0].length ?? 0;
  const closes = quote !== '' && text[offset + rest] === quote;
  const end = offset + rest + (closes ? 1 : 0);
  const hasValue = /^[ \t]*[:=]/.test(text.slice(end, end + 80));
  const typed = { start: offset - name.length - quote.length, end };
  return { typed, quote, inFlow: block === null, inJson, hasValue };
}

/** True if the line has an open brace. */
const isOpen = (before: string): boolean => before.split('{').length > before.split('}').length;

/** The section of the key at the cursor, and its other keys; null if no key is possible. */
function sectionOf(
  text: string,
  { typed, inFlow, hasValue }: Place,
): { readonly section: YamlPath; readonly present: readonly string[] } | null {
  const [before, after] = [text.slice(0, typed.start), text.slice(typed.end)];
  const comma = inFlow && /[^\s{,]\s*$/.test(before) ? ',' : '';
  const more = inFlow && /^\s*["'\w]/.test(after) ? ',' : '';
  const name = inFlow ? `"${CURSOR}"` : CURSOR;
  const value = hasValue ? '' : looksLikeToml(text) ? ' = 0' : ': 0';
  // Other text on the line is not part of a key without a colon.
  const rest = inFlow || hasValue ? after : after.replace(/^[^\n]*/, '');
  for (const { root } of parseText(`${before}${comma}${name}${value}${more}${rest}`).documents) {
    const found = root && sectionIn(root, []);
    if (found) return found;
  }
  return null;
}

function sectionIn(node: YamlNode, path: YamlPath): ReturnType<typeof sectionOf> {
  const at = resolve(node) === node ? node : null;
  if (at?.kind === 'sequence') {
    return firstResult(at.items.map((item, i) => () => sectionIn(item, [...path, i])));
  }
  if (at?.kind !== 'map') return null;
  if (at.entries.some(({ key }) => key === CURSOR)) {
    return { section: path, present: at.entries.map(({ key }) => key) };
  }
  return firstResult(
    at.entries.map(
      ({ key, value }) =>
        () =>
          sectionIn(value, [...path, key]),
    ),
  );
}

function firstResult<T>(tries: readonly (() => T | null)[]): T | null {
  for (const one of tries) {
    const found = one();
    if (found !== null) return found;
  }
  return null;
}
