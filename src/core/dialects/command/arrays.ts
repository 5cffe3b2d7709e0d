import { joined, placed, slice } from './located';
import type { Located } from '../../text/located';

/**
 * Arrays of a shell's text: the content of the parentheses in `NAME=( … )`, by the placeholder that replaced it.
 */
export type Arrays = ReadonlyMap<string, Located>;

const BEGINS = /(?<=^|[\n;\s])([A-Za-z_]\w*\+?=)\(/g;

/** The text with a placeholder for each array, and the arrays. */
export function withoutArrays(script: Located): { readonly rest: Located; readonly arrays: Arrays } {
  const { text } = script;
  const arrays = new Map<string, Located>();
  const kept: Located[] = [];
  let from = 0;
  for (const match of text.matchAll(BEGINS)) {
    const open = match.index + match[0].length;
    if (match.index < from) continue;
    const close = closing(text, open);
    const sign = `\u0001${arrays.size}`;
    arrays.set(sign, slice(script, open, close));
    kept.push(slice(script, from, open - 1), placed(sign, script.at[open] ?? 0));
    from = close + 1;
  }
  return { rest: joined([...kept, slice(script, from, text.length)]), arrays };
}

/** The position of the closing parenthesis; ignores those in quotes and comments. */
function closing(text: string, from: number): number {
  let depth = 1;
  let at = from;
  while (at < text.length) {
    const character = text[at] ?? '';
    if (character === '#' && /\s/.test(text[at - 1] ?? '\n')) at = endOfLine(text, at);
    else if (character === "'" || character === '"') at = endOfQuote(text, at, character);
    if (character === '(') depth += 1;
    if (character === ')') depth -= 1;
    if (depth === 0) return at;
    at += 1;
  }
  return text.length;
}

function endOfLine(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end;
}

function endOfQuote(text: string, from: number, quote: string): number {
  for (let at = from + 1; at < text.length; at++) {
    if (text[at] === '\\' && quote === '"') at += 1;
    else if (text[at] === quote) return at;
  }
  return text.length;
}
