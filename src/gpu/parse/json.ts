/** Any JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json | undefined;
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

/** The maximum length of a text to search for values. */
const MOST_CHARACTERS = 8 * 1024 * 1024;

/**
 * The complete JSON values in a text, whatever surrounds them: leading warnings, several values, or an unterminated
 * array (whose elements then count). Comments and trailing commas are ignored.
 */
export function jsonValues(text: string): readonly Json[] {
  if (latest?.text !== text) latest = { text, values: valuesIn(text) };
  return latest.values;
}

/** Each tool looks for the values of the same pasted text. */
let latest: { readonly text: string; readonly values: readonly Json[] } | null = null;

function valuesIn(text: string): readonly Json[] {
  const plain = withoutComments(text.slice(0, MOST_CHARACTERS));
  const whole = /^\s*[{[]/.test(plain) ? parsed(plain.trim()) : undefined;
  if (whole !== undefined) return [whole];
  const cut = cutOff(plain);
  if (cut !== null) return cut;
  const values: Json[] = [];
  let misses = 0;
  for (let at = nextOpen(plain, 0, VALUE); at >= 0 && misses < MOST_MISSES;) {
    const end = endOf(plain, at);
    const value = end === null ? undefined : parsed(plain.slice(at, end));
    if (value === undefined) misses += 1;
    else values.push(value);
    at = nextOpen(plain, value === undefined || end === null ? at + 1 : end, VALUE);
  }
  return values;
}

/** The value that a line begins and nothing ends; null if there is none. */
function cutOff(text: string): readonly Json[] | null {
  const start = text.search(/^[ \t]{0,80}[{[]/m);
  const from = start < 0 ? '' : text.slice(start);
  return from === '' || endOf(from, nextOpen(from, 0)) !== null ? null : completed(from);
}

/** A value whose end is missing, up to the last complete part of it. */
function completed(text: string): readonly Json[] | null {
  const start = nextOpen(text, 0);
  const open: string[] = [];
  let whole: string | null = null;
  const marks = /"(?:[^"\\]|\\.)*"|[{}[\],]/gs;
  marks.lastIndex = Math.max(0, start);
  for (let mark = marks.exec(text); mark && start >= 0; mark = marks.exec(text)) {
    const [sign] = mark;
    if (sign === '{' || sign === '[') open.push(sign === '{' ? '}' : ']');
    else if (sign === '}' || sign === ']') open.pop();
    if (sign.startsWith('"') || sign === '{' || sign === '[') continue;
    // What precedes a comma is complete, and so is what a bracket closes.
    const end = sign === ',' ? mark.index : marks.lastIndex;
    whole = text.slice(start, end) + open.toReversed().join('');
  }
  const value = whole === null ? undefined : parsed(whole);
  if (value === undefined) return null;
  return isList(value) ? value : [value];
}

/** After this many brackets that open no value, the search ends. */
const MOST_MISSES = 200;

function nextOpen(text: string, from: number, opening = /[{[]/): number {
  const found = text.slice(from).search(opening);
  return found < 0 ? -1 : from + found;
}

/** A bracket with a name or a value behind it; `[MiB]` and `[N/A]` are none. */
const VALUE = /\{(?=\s{0,1000}["}])|\[(?=\s{0,1000}["{[\]\-\dtfn])/;

/** Where the value that opens here closes; null if it does not. */
function endOf(text: string, start: number): number | null {
  let depth = 0;
  const marks = /"(?:[^"\\]|\\.)*"|[{}[\]]/gs;
  marks.lastIndex = start;
  for (let mark = marks.exec(text); mark; mark = marks.exec(text)) {
    if (mark[0] === '{' || mark[0] === '[') depth += 1;
    else if (mark[0] === '}' || mark[0] === ']') depth -= 1;
    if (depth === 0) return marks.lastIndex;
  }
  return null;
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

function withoutComments(text: string): string {
  if (!/\/\/|,\s*[}\]]/.test(text)) return text;
  return text
    .replace(/"(?:[^"\\\n]|\\.)*"|\/\/[^\n]*/g, part => (part.startsWith('"') ? part : ''))
    .replace(/"(?:[^"\\\n]|\\.)*"|,(?=\s*[}\]])/g, part => (part.startsWith('"') ? part : ''));
}

/** The value at a path of keys, compared without case. */
export function valueAt(value: Json | undefined, ...path: readonly string[]): Json | undefined {
  let found: Json | undefined = value;
  for (const key of path) {
    if (!isObject(found)) return undefined;
    const object: JsonObject = found;
    found = object[key] ?? object[Object.keys(object).find(name => name.toLowerCase() === key) ?? ''];
  }
  return found;
}

/** A leaf as text: `12`, `"12 W"`, `{"value": 12, "unit": "W"}`; undefined if it is not a leaf. */
export function leafText(value: Json | undefined): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return String(value);
  if (!isObject(value) || !('value' in value)) return undefined;
  const number = leafText(value['value']);
  const unit = value['unit'];
  return number === undefined ? undefined : `${number} ${typeof unit === 'string' ? unit : ''}`.trim();
}
