import { slice } from './located';
import type { Located } from '../../text/located';

/** A word as written, without its quotes. */
export interface Raw {
  readonly text: Located;
  /** It was in single quotes. */
  readonly literal: boolean;
  /** It was quoted: its substitution stays one word. */
  readonly quoted: boolean;
  /** It stands in another file, which started this one with it. */
  readonly isOutside?: true;
}

const BLANK = /[ \t\r]/;
const ENDS = /[\n;&|()]/;

/** Words between separators. Quotes keep blanks; a backslash before a line break joins lines. */
export function statements(script: Located): Raw[][] {
  const all: Raw[][] = [];
  let words: Raw[] = [];
  let at = 0;
  const { text } = script;
  while (at < text.length) {
    const character = text[at] ?? '';
    if (BLANK.test(character)) at += 1;
    else if (character === '\\' && /^\\\r?\n/.test(text.slice(at, at + 3))) at = text.indexOf('\n', at) + 1;
    else if (character === '#') at = lineEnd(text, at);
    else if (ENDS.test(character) && !isValue(words, character)) {
      if (words.length > 0) all.push(words);
      words = [];
      at += 1;
    } else {
      const end = character === '(' ? endOfBrackets(text, at) : wordEnd(text, at);
      const word = slice(script, at, end);
      const inner = started(word);
      if (inner) all.push(...statements(inner));
      words.push(unquoted(word));
      at = end;
    }
  }
  return words.length > 0 ? [...all, words] : all;
}

/** `--layers ([0]*3+[1]*5)`: no shell takes a bracket there, so that it is a value whose quotes were left out. */
const isValue = (words: readonly Raw[], character: string): boolean =>
  character === '(' && /^--\w/.test(words.at(-1)?.text.text ?? '');

/** `ID=$(docker run …)`, `JOB=$(sbatch …)`: what is started runs on, and what it is called is kept. */
function started(word: Located): Located | null {
  const lead = /^[A-Za-z_]\w{0,80}="?\$\(\s{0,20}(?=(?:docker|podman|nerdctl|sbatch)\s)/.exec(word.text)?.[0];
  const end = lead === undefined ? -1 : word.text.lastIndexOf(')');
  return lead === undefined || end < lead.length ? null : slice(word, lead.length, end);
}

function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end;
}

/** The end of the word that begins here; quotes and `$( )` do not end it. */
function wordEnd(text: string, from: number): number {
  let at = from;
  while (at < text.length && !endsWord(text, at)) at = endOfUnit(text, at);
  return Math.min(at, text.length);
}

const endsWord = (text: string, at: number): boolean =>
  BLANK.test(text[at] ?? '') || ENDS.test(text[at] ?? '') || /^\\\r?\n/.test(text.slice(at, at + 3));

/** The end of the unit here: a quoted text, a command substitution, an escaped character, or a character. */
function endOfUnit(text: string, at: number): number {
  const character = text[at] ?? '';
  if (character === "'" || character === '"' || character === '`') return endOfQuote(text, at, character);
  if (text.startsWith('$(', at)) return endOfBrackets(text, at + 1);
  if (text.startsWith('${', at)) return endOfExpansion(text, at);
  if (character === '<') return endOfPlaceholder(text, at);
  return character === '\\' ? at + 2 : at + 1;
}

function endOfQuote(text: string, from: number, quote: string): number {
  for (let at = from + 1; at < text.length; at++) {
    if (text[at] === '\\' && quote === '"') at += 1;
    // A substitution has quotes of its own: `"$(cd "$(dirname "$0")" && pwd)"`.
    else if (quote === '"' && text.startsWith('$(', at)) at = endOfBrackets(text, at + 1) - 1;
    else if (text[at] === quote) return at + 1;
  }
  return text.length;
}

/** `${NAME:-a b}` is one word, unless it never ends on its line. */
function endOfExpansion(text: string, from: number): number {
  const end = /^\$\{[^{}\n]{0,2000}\}/.exec(text.slice(from, from + 2003))?.[0].length;
  return from + (end ?? 2);
}

/** `<your model path>` is one word of documentation; `<in >out` reads a file, and writes another one. */
function endOfPlaceholder(text: string, from: number): number {
  const found = /^<\w[^<>|&;"'$\n]{0,100}(?<!\s)>(?=\s|$)/.exec(text.slice(from, from + 104))?.[0];
  return from + (found?.length ?? 1);
}

function endOfBrackets(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    if (text[at] === '(') depth += 1;
    if (text[at] === ')') depth -= 1;
    if (depth === 0) return at + 1;
  }
  return text.length;
}

/** A word without its quotes and escaping backslashes. */
function unquoted(word: Located): Raw {
  const { text } = word;
  const kept: number[] = [];
  let quote = '';
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? '';
    const next = text[at + 1] ?? '';
    if (quote === '' && (character === '"' || character === "'")) quote = character;
    else if (character === quote) quote = '';
    else if (character === '\\' && quote !== "'" && (quote === '' || /["\\$`\n]/.test(next))) {
      at += 1;
      if (next !== '\n') kept.push(at);
    } else kept.push(at);
  }
  return {
    text: {
      text: kept.map(i => text[i] ?? '').join(''),
      at: [...kept, (kept.at(-1) ?? -1) + 1].map(i => word.at[i] ?? 0),
    },
    literal: /^(?:-{0,2}[\w.-]+\+?=)?'[^']*'$/.test(text),
    quoted: /["']/.test(text),
  };
}

/** The text after the equals sign of `NAME=…`; null for other words. */
export function valueBehind({ text: word }: Raw): Located | null {
  const head = /^[A-Za-z_]\w*\+?=/.exec(word.text)?.[0];
  return head === undefined ? null : slice(word, head.length, word.text.length);
}

/** The variable of `A=b`. */
export const nameOf = (word: string): string | null => /^([A-Za-z_]\w*)\+?=/.exec(word)?.[1] ?? null;
