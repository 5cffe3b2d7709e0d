import { shapeAt } from './format';
import type { Shape } from './format';

/** A completion in a dialect file. */
interface Suggestion {
  readonly label: string;
  readonly kind: 'key' | 'value';
  /** A description; '' if there is none. */
  readonly text: string;
}

const KEY = /^(\s*(?:- )?)([\w.]*)$/;
const VALUE = /^(\s*(?:- )?)([\w.]+):\s+['"]?([\w-]*)$/;
/** `microBatchSize: { keys: a, scope: glo`. */
const FLOW = /^(\s*(?:- )?)([\w.]+):\s+\{(?:.*[,{\s])?([\w.]+):\s+['"]?([\w-]*)$/;
const FLOW_KEY = /^(\s*(?:- )?)([\w.]+):\s+\{(?:.*,)?\s*([\w.]*)$/;

/** Keys and values that fit at the cursor, by the lines above: the incomplete line cannot be parsed. */
export function suggestionsAt(text: string, offset: number): readonly Suggestion[] {
  const start = text.lastIndexOf('\n', offset - 1) + 1;
  const before = text.slice(start, offset);
  const above = (indent: string): readonly (string | number)[] =>
    sectionsAbove(text.slice(0, start), indent.length, indent.trimEnd().endsWith('-'));
  const flow = FLOW.exec(before);
  if (flow) return values([...above(flow[1] ?? ''), flow[2] ?? '', flow[3] ?? '']);
  const flowKey = FLOW_KEY.exec(before);
  if (flowKey) return keys([...above(flowKey[1] ?? ''), flowKey[2] ?? '']);
  const value = VALUE.exec(before);
  if (value) return values([...above(value[1] ?? ''), value[2] ?? '']);
  const key = KEY.exec(before);
  return key ? keys(above(key[1] ?? '')) : [];
}

function keys(path: readonly (string | number)[]): readonly Suggestion[] {
  const found = shapeAt(path);
  const shape = found?.kind === 'several' ? found.of : found;
  if (shape?.kind !== 'object') return [];
  return Object.entries(shape.fields).map(([label, { text }]) => ({ label, kind: 'key', text }));
}

function values(path: readonly (string | number)[]): readonly Suggestion[] {
  return wordsOf(shapeAt(path)).map(label => ({ label, kind: 'value', text: '' }));
}

function wordsOf(shape: Shape | null): readonly string[] {
  if (shape?.kind === 'flag') return ['true', 'false'];
  return shape?.kind === 'text' || shape?.kind === 'spec' ? (shape.oneOf ?? []) : [];
}

const LINE = /^(\s*)(- )?([\w.]+):\s*(?:#.*)?$/;
const ITEM = /^(\s*)- /;

/** The sections of a line with this indentation. */
function sectionsAbove(text: string, indent: number, isItem: boolean): readonly (string | number)[] {
  const path: (string | number)[] = isItem ? [0] : [];
  let left = isItem ? indent - 2 : indent;
  for (const line of text.split('\n').reverse()) {
    const item = ITEM.exec(line);
    // The first key of the list item that this key belongs to.
    if (item && (item[1] ?? '').length + 2 === left) {
      path.unshift(0);
      left -= 2;
      continue;
    }
    const section = LINE.exec(line);
    const at = (section?.[1] ?? '').length + (section?.[2] ?? '').length;
    if (!section || at >= left) continue;
    path.unshift(section[3] ?? '');
    left = at;
  }
  return path;
}
