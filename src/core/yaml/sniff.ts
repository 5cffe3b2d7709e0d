import { looksLikeToml } from './toml/detect';

/**
 * Finds key names by scanning the text without parsing: the word before each colon that could end a key, and the
 * word after each `? ` of an explicit key. Values can only add names, so the set is never too small: a test on it
 * can have false positives but no false negatives. (It misses keys with escapes, `"base\u005fmodel"`, which no tool
 * writes.)
 */
export function sniffKeys(text: string, wanted: Pick<ReadonlySet<string>, 'has' | 'size'>): Set<string> {
  const seen = new Set<string>();
  for (let colon = text.indexOf(':'); colon >= 0; colon = text.indexOf(':', colon + 1)) {
    if (!endsKey(text, colon)) continue;
    const key = wordBefore(text, colon);
    if (key === '' || !wanted.has(key)) continue;
    seen.add(key);
    if (seen.size === wanted.size) return seen;
  }
  for (let mark = text.indexOf('? '); mark >= 0; mark = text.indexOf('? ', mark + 2)) {
    const key = wordAfter(text, mark + 2);
    if (wanted.has(key)) seen.add(key);
  }
  if (looksLikeToml(text)) {
    for (const key of tomlKeys(text)) if (wanted.has(key)) seen.add(key);
  }
  return seen;
}

const HEADER = /^[ \t]*\[\[?([^\]\n]*)\]/gm;

/** The names before equals signs and in headers of a TOML text, each part of a dotted one, too. */
function* tomlKeys(text: string): Generator<string> {
  for (let equals = text.indexOf('='); equals >= 0; equals = text.indexOf('=', equals + 1)) {
    yield* parts(wordBefore(text, equals));
  }
  for (const [, header = ''] of text.matchAll(HEADER)) yield* parts(header.replaceAll(/[\s"']/g, ''));
}

function* parts(name: string): Generator<string> {
  if (name === '') return;
  yield name;
  if (name.includes('.')) yield* name.split('.');
}

/**
 * Characters that may follow the colon of a plain key: space, tab, a line break, a bracket, a quote, a comma,
 * nothing.
 */
const AFTER_COLON = new Set(Array.from(' \t\n\r[]{}",', character => character.charCodeAt(0)));

/** A quoted key needs nothing after its colon: `{"stage":3}`. */
function endsKey(text: string, colon: number): boolean {
  return colon + 1 >= text.length || AFTER_COLON.has(text.charCodeAt(colon + 1)) || isQuote(text, colon - 1);
}

function isQuote(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code === 0x22 || code === 0x27;
}

function isBlank(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code === 0x20 || code === 0x09;
}

function wordBefore(text: string, colon: number): string {
  let end = colon;
  while (end > 0 && isBlank(text, end - 1)) end--;
  if (isQuote(text, end - 1)) end--;
  let start = end;
  while (start > 0 && end - start < 64 && isWord(text.charCodeAt(start - 1))) start--;
  return text.slice(start, end);
}

function wordAfter(text: string, from: number): string {
  let start = from;
  while (isBlank(text, start) || isQuote(text, start)) start++;
  let end = start;
  while (end - start < 64 && isWord(text.charCodeAt(end))) end++;
  return text.slice(start, end);
}

/** Letters, digits, `_`, `-`, `.`, `/`: characters of config keys. */
function isWord(code: number): boolean {
  return (
    (code >= 0x61 && code <= 0x7a) ||
    (code >= 0x41 && code <= 0x5a) ||
    (code >= 0x30 && code <= 0x39) ||
    code === 0x5f ||
    code === 0x2d ||
    code === 0x2e ||
    code === 0x2f
  );
}
