import { withoutArrays } from './arrays';
import type { Arrays } from './arrays';
import { slice } from './located';
import type { Located } from './located';

/** A word of a command line. */
export interface Word {
  readonly text: string;
  /** Where its text stands in the file, without quotes. */
  readonly span: { readonly start: number; readonly end: number };
  /** It holds a variable that nothing here defines, or the output of a command: its text is not its value. */
  readonly open: boolean;
  /** It stands in a shell's text, where another word may follow; not alone in an item of a list. */
  readonly inText: boolean;
}

export type Command = readonly Word[];

/** Variables that the file defines, by name; null: it is set, but not to a word that could be known. */
export type Variables = ReadonlyMap<string, string | null>;

/** One word that no shell reads: an item of a list of arguments. */
export function argument(text: Located, variables: Variables, syntax: Syntax): Word {
  return { ...wordOf(text, variables, syntax, false), inText: false };
}

/** Who fills in variables: a shell and Compose `${A}`, Kubernetes `$(A)`. */
export type Syntax = 'shell' | 'kubernetes';

/**
 * The commands of a shell's text, in order. Nothing is run: variables that are set by plain assignments are known
 * until something else could set them; everything else is open. What stands behind `if`, `case` or a function is
 * left out, since whether it is run is not known; so is what heredocs hold.
 */
export function commands(script: Located, known: Variables, syntax: Syntax = 'shell'): Command[] {
  const variables = new Map(known);
  const found: Command[] = [];
  let depth = 0;
  const { rest, arrays } = withoutArrays(withoutHeredocs(script));
  for (const written of statements(rest)) {
    const words = written.flatMap(word => inArrays(word, arrays));
    const [first] = words;
    const opener = first?.text.text ?? '';
    if (OPENS.has(opener)) depth += 1;
    if (CLOSES.has(opener)) depth = Math.max(0, depth - 1);
    if (opener === ':') defaults(words, variables, depth > 0);
    const command = words.map(word => wordOf(word.text, variables, syntax, word.literal));
    const assigned = assignments(command, variables, depth > 0);
    const rest = command.slice(assigned);
    if (depth === 0 && rest.length > 0 && !CLOSES.has(opener)) found.push(rest);
  }
  return found;
}

/** The words that `"${NAME[@]}"` stands for; an array that nobody fills has none. */
function inArrays(word: Raw, arrays: Arrays): readonly Raw[] {
  const name = /^\$\{(\w+)\[[@*]\]\}$/.exec(word.text.text)?.[1];
  const inner = name === undefined ? undefined : arrays.get(name);
  return inner === undefined ? [word] : statements(inner).flat();
}

/** `: "${A:=b}"` sets what nothing has set before. */
function defaults(words: readonly Raw[], variables: Map<string, string | null>, maybe: boolean): void {
  for (const { text } of words) {
    const [, name, value = ''] = /^\$\{([A-Za-z_]\w*):?=([^{}]*)\}$/.exec(text.text) ?? [];
    if (name !== undefined && !variables.has(name)) {
      variables.set(name, maybe || /[$`]/.test(value) ? null : value);
    }
  }
}

const OPENS = new Set(['if', 'case', 'while', 'for', 'until', 'function']);
const CLOSES = new Set(['fi', 'esac', 'done']);

/** Sets what `A=b` at the head of a statement says; how many words that are. */
function assignments(command: Command, variables: Map<string, string | null>, maybe: boolean): number {
  const start = command[0]?.text === 'export' ? 1 : 0;
  let at = start;
  for (; at < command.length; at++) {
    const match = /^([A-Za-z_]\w*)=([\s\S]*)$/.exec(command[at]?.text ?? '');
    if (!match) break;
    const [, name = '', value = ''] = match;
    variables.set(name, maybe || command[at]?.open === true ? null : value);
  }
  return at > start ? at : 0;
}

interface Raw {
  readonly text: Located;
  /** It stood in single quotes. */
  readonly literal: boolean;
}

const BLANK = /[ \t\r]/;
const ENDS = /[\n;&|()]/;

/** Words between separators. Quotes keep blanks together; a backslash before a line break joins lines. */
function statements(script: Located): Raw[][] {
  const all: Raw[][] = [];
  let words: Raw[] = [];
  let at = 0;
  const { text } = script;
  while (at < text.length) {
    const character = text[at] ?? '';
    if (BLANK.test(character)) at += 1;
    else if (character === '\\' && /^\\\r?\n/.test(text.slice(at, at + 3))) at = text.indexOf('\n', at) + 1;
    else if (character === '#') at = lineEnd(text, at);
    else if (ENDS.test(character)) {
      if (words.length > 0) all.push(words);
      words = [];
      at += 1;
    } else {
      const end = wordEnd(text, at);
      words.push(unquoted(slice(script, at, end)));
      at = end;
    }
  }
  return words.length > 0 ? [...all, words] : all;
}

function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end;
}

/** Behind the word that begins here: quotes and `$( )` keep everything together. */
function wordEnd(text: string, from: number): number {
  let at = from;
  while (at < text.length && !endsWord(text, at)) at = behindUnit(text, at);
  return Math.min(at, text.length);
}

const endsWord = (text: string, at: number): boolean =>
  BLANK.test(text[at] ?? '') || ENDS.test(text[at] ?? '') || /^\\\r?\n/.test(text.slice(at, at + 3));

/** Behind what stands together here: a quoted text, the output of a command, an escaped character, a character. */
function behindUnit(text: string, at: number): number {
  const character = text[at] ?? '';
  if (character === "'" || character === '"' || character === '`') return behindQuote(text, at, character);
  if (text.startsWith('$(', at)) return behindBrackets(text, at + 1);
  return character === '\\' ? at + 2 : at + 1;
}

function behindQuote(text: string, from: number, quote: string): number {
  for (let at = from + 1; at < text.length; at++) {
    if (text[at] === '\\' && quote === '"') at += 1;
    else if (text[at] === quote) return at + 1;
  }
  return text.length;
}

function behindBrackets(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    if (text[at] === '(') depth += 1;
    if (text[at] === ')') depth -= 1;
    if (depth === 0) return at + 1;
  }
  return text.length;
}

/** A word without its quotes. */
function unquoted(word: Located): Raw {
  const { text } = word;
  const inner = /^(['"])([\s\S]*)\1$/.exec(text);
  if (inner && inner[2]?.includes(inner[1] ?? '') === false) {
    return { text: slice(word, 1, text.length - 1), literal: inner[1] === "'" };
  }
  const behind = /^(-{0,2}[\w.-]+=)(["'])([^"']*)\2$/.exec(text);
  if (!behind) return { text: word, literal: false };
  const head = behind[1] ?? '';
  const kept = [...ranges(0, head.length), ...ranges(head.length + 1, text.length - 1)];
  return {
    text: {
      text: kept.map(i => text[i] ?? '').join(''),
      at: [...kept, text.length - 1].map(i => word.at[i] ?? 0),
    },
    literal: behind[2] === "'",
  };
}

const ranges = (start: number, end: number): number[] =>
  Array.from({ length: Math.max(0, end - start) }, (_, i) => start + i);

const SHELL = /\$\{([A-Za-z_]\w*)(?::?[-=]([^${}]*))?\}|\$([A-Za-z_]\w*)|\$\$/g;
const KUBERNETES = /\$\(([A-Za-z_]\w*)\)/g;

function wordOf(word: Located, variables: Variables, syntax: Syntax, literal: boolean): Word {
  const span = { start: word.at[0] ?? 0, end: word.at.at(-1) ?? 0 };
  if (literal) return { text: word.text, span, open: false, inText: true };
  const pattern = syntax === 'kubernetes' ? KUBERNETES : SHELL;
  const filled = word.text.replaceAll(pattern, (all: string, ...groups: readonly unknown[]) => {
    if (all === '$$') return '$';
    const name = [groups[0], groups[2]].find(one => typeof one === 'string') ?? '';
    const otherwise = syntax === 'shell' && typeof groups[1] === 'string' ? groups[1] : all;
    return variables.get(name) ?? (variables.has(name) ? all : otherwise);
  });
  const text = filled.replaceAll(PRODUCT, (_, a: string, b: string) => String(Number(a) * Number(b)));
  const open = syntax === 'kubernetes' ? text.includes('$(') : /\$[\w({]|`/.test(text);
  return { text, span, open, inText: true };
}

/** `$(( 8 * 2 ))`, once the variables are filled in. */
const PRODUCT = /\$\(\(\s*(\d+)\s*\*\s*(\d+)\s*\)\)/g;

/** What heredocs hold is data. */
function withoutHeredocs(script: Located): Located {
  const { text } = script;
  const kept: number[] = [];
  let until: string | null = null;
  let at = 0;
  for (const line of text.split('\n')) {
    const isData: boolean = until !== null;
    if (until === null) until = /<<-?\s*['"]?(\w+)/.exec(line)?.[1] ?? null;
    else if (line.trim() === until) until = null;
    if (!isData) for (let i = at; i < Math.min(text.length, at + line.length + 1); i++) kept.push(i);
    at += line.length + 1;
  }
  return {
    text: kept.map(i => text[i] ?? '').join(''),
    at: [...kept, text.length].map(i => script.at[i] ?? 0),
  };
}
