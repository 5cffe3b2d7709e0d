import { ownOf } from '../tables';
import type { ScalarStyle, ScalarValue, YamlProblemCode } from '../node';

/** A place where a text is not TOML. Thrown and caught within this folder. */
export class TomlMistake extends Error {
  constructor(
    readonly at: number,
    message: string,
    readonly code: YamlProblemCode = 'syntax',
  ) {
    super(message);
  }
}

/** A scalar of a TOML text. */
interface Scanned {
  readonly value: ScalarValue;
  readonly style: ScalarStyle;
  readonly end: number;
}

const INTEGER = /^[+-]?(?:0|[1-9](?:_?\d)*)$/;
const WHOLE = /^0(?:x[\dA-Fa-f](?:_?[\dA-Fa-f])*|o[0-7](?:_?[0-7])*|b[01](?:_?[01])*)$/;
const FLOAT = /^[+-]?(?:0|[1-9](?:_?\d)*)(?:\.\d(?:_?\d)*)?(?:[eE][+-]?\d(?:_?\d)*)?$/;
const SPECIAL = /^([+-]?)(inf|nan)$/;
const DATE = /^(\d{4})-(\d\d)-(\d\d)(?:[Tt ](.+))?$/;
const TIME = /^(\d\d):(\d\d)(?::(\d\d)(?:\.\d+)?)?(Z|z|[+-]\d\d:\d\d)?$/;
/** A value without quotes; a date may have a space before its time. */
const BARE = /^(?:\d{4}-\d\d-\d\d \d\d:[^\s,#\]}]*|[^\s,#\]}]+)/;
/** No value without quotes is longer. */
const LONGEST = 400;

/** Reads a value without quotes: a number, a date (as its text) or a truth value. */
export function scanBare(text: string, at: number): Scanned {
  const [word] = BARE.exec(text.slice(at, at + LONGEST)) ?? [];
  if (word === undefined) throw new TomlMistake(at, 'a value is missing');
  return { value: bareValue(word, at), style: 'plain', end: at + word.length };
}

function bareValue(word: string, at: number): ScalarValue {
  if (word === 'true' || word === 'false') return word === 'true';
  const digits = word.replaceAll('_', '');
  if (INTEGER.test(word) || FLOAT.test(word) || WHOLE.test(word)) return Number(digits);
  const special = SPECIAL.exec(word);
  if (special) return special[2] === 'nan' ? Number.NaN : special[1] === '-' ? -Infinity : Infinity;
  if (isDate(word) || isTime(word, false)) return word;
  const shown = word.length > 30 ? `${word.slice(0, 30)}…` : word;
  throw new TomlMistake(at, `${shown} is not a value; text needs quotes`);
}

function isDate(word: string): boolean {
  const [, year, month, day, time] = DATE.exec(word) ?? [];
  if (year === undefined) return false;
  const last = new Date(Date.UTC(2000 + (Number(year) % 400), Number(month), 0)).getUTCDate();
  const inMonth = Number(month) >= 1 && Number(month) <= 12 && Number(day) >= 1 && Number(day) <= last;
  return inMonth && (time === undefined || isTime(time, true));
}

function isTime(word: string, hasOffset: boolean): boolean {
  const [, hour, minute, second = '0', offset] = TIME.exec(word) ?? [];
  if (hour === undefined || (offset !== undefined && !hasOffset)) return false;
  const isClock = (h: string, m: string): boolean => Number(h) < 24 && Number(m) < 60;
  const isOffset = offset?.length !== 6 || isClock(offset.slice(1, 3), offset.slice(4));
  return isClock(hour, minute ?? '') && Number(second) <= 60 && isOffset;
}

/** Reads a string in quotes: basic or literal, on one line or on several. */
export function scanString(text: string, at: number): Scanned {
  const quote = text[at] ?? '';
  const isBasic = quote === '"';
  if (!text.startsWith(quote.repeat(3), at)) {
    const end = closing(text, at + 1, quote, isBasic);
    const inner = text.slice(at + 1, end);
    const value = isBasic ? unescaped(inner, at + 1, false) : inner;
    return { value, style: isBasic ? 'double' : 'single', end: end + 1 };
  }
  let end = longClosing(text, at + 3, quote, isBasic);
  // Up to two quotes before the closing ones belong to the text.
  for (let more = 0; more < 2 && text[end + 3] === quote; more++) end++;
  const start = at + 3;
  const skipped = text.startsWith('\r\n', start) ? 2 : text[start] === '\n' ? 1 : 0;
  const inner = text.slice(start + skipped, end);
  const value = isBasic ? unescaped(inner, start, true) : inner;
  return { value, style: isBasic ? 'folded' : 'literal', end: end + 3 };
}

function closing(text: string, from: number, quote: string, isBasic: boolean): number {
  for (let at = from; at < text.length && text[at] !== '\n'; at++) {
    if (isBasic && text[at] === '\\') at++;
    else if (text[at] === quote) return at;
  }
  throw new TomlMistake(from - 1, 'the closing quote is missing');
}

function longClosing(text: string, from: number, quote: string, isBasic: boolean): number {
  for (let at = from; at < text.length; at++) {
    if (isBasic && text[at] === '\\') at++;
    else if (text[at] === quote && text.startsWith(quote.repeat(3), at)) return at;
  }
  throw new TomlMistake(from - 3, 'the closing quotes are missing');
}

const ESCAPES: Readonly<Record<string, string>> = {
  b: '\b',
  t: '\t',
  n: '\n',
  f: '\f',
  r: '\r',
  e: '\u001B',
  '"': '"',
  '\\': '\\',
};

/** A backslash with what belongs to it: a code point, a line break with the blanks around it, one character. */
const ESCAPE = /\\(?:x([\dA-Fa-f]{2})|u([\dA-Fa-f]{4})|U([\dA-Fa-f]{8})|([ \t]*(?:\r?\n)[ \t\r\n]*)|([^]?))/g;

function unescaped(inner: string, start: number, isLong: boolean): string {
  let text = '';
  let from = 0;
  for (const match of inner.matchAll(ESCAPE)) {
    text += inner.slice(from, match.index) + unescapedOne(match, start + match.index, isLong);
    from = match.index + match[0].length;
  }
  return text + inner.slice(from);
}

function unescapedOne(match: RegExpExecArray, at: number, isLong: boolean): string {
  const [whole, x, u, long, folds, one] = match;
  const code = x ?? u ?? long;
  if (code !== undefined) return character(Number.parseInt(code, 16), at);
  if (folds !== undefined && isLong) return '';
  const plain = one === undefined ? undefined : ownOf(ESCAPES, one);
  if (plain !== undefined) return plain;
  throw new TomlMistake(at, `${JSON.stringify(whole).slice(1, -1)} is not an escape`);
}

function character(code: number, at: number): string {
  const isScalar = code <= 0x10_ff_ff && (code < 0xd8_00 || code > 0xdf_ff);
  if (!isScalar) throw new TomlMistake(at, 'this is not a character');
  return String.fromCodePoint(code);
}
