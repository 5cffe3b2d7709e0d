import type { Raw } from './shellWords';
import { slice } from './located';

type Statement = readonly Raw[];

/** `for NAME in WORDS; do BODY; done`. */
export interface Loop {
  readonly name: string;
  readonly words: readonly Raw[];
  readonly body: readonly Statement[];
  /** The statement with its `done`. */
  readonly end: number;
}

/** What a loop has set for a command: its variables, and where the command stands. */
export interface Cell {
  readonly at: number;
  readonly variables: ReadonlyMap<string, string>;
}

/** Commands of nested loops together, and of all loops of a script; beyond, their variables are open. */
export const MOST_CELLS = 24;
export const MOST_TURNS = 96;

const OPENS = new Set(['for', 'while', 'until', 'select']);
const LEADS = new Set(['do', 'then', 'else', '{']);

const text = (raw: Raw | undefined): string => raw?.text.text ?? '';

/** The loop over words that begins with a statement; null if none does, or if it never ends. */
export function loopAt(statements: readonly Statement[], at: number): Loop | null {
  const [opener, name, lead, ...words] = statements[at] ?? [];
  if (text(opener) !== 'for' || text(lead) !== 'in' || text(statements[at + 1]?.[0]) !== 'do') return null;
  let depth = 0;
  for (let i = at; i < statements.length; i++) {
    const [first, second] = statements[i] ?? [];
    if (OPENS.has(text(LEADS.has(text(first)) ? second : first))) depth += 1;
    if (text(first) === 'done') depth -= 1;
    if (depth > 0) continue;
    const [head = [], ...rest] = statements.slice(at + 1, i);
    const body = [head.slice(1), ...rest].filter(({ length }) => length > 0);
    return { name: text(name), words, body, end: i };
  }
  return null;
}

/**
 * A loop over a script's own arguments: `while [[ $# -gt 0 ]]`, `while [ -n "$1" ]`, `while getopts …`. It has no turn where
 * the script is started as it stands.
 */
export const isOverArguments = ([opener, ...asked]: readonly Raw[]): boolean =>
  text(opener) === 'while' &&
  (text(asked[0]) === 'getopts' || asked.some(word => /^\$(?:#|1|\{[#1](?::?-)?\})$/.test(text(word))));

/** The words of `{2,4}`, `{1..3}` and `$(seq 1 3)`; another word as it is. */
export function counted(raw: Raw): readonly Raw[] {
  const written = raw.text.text;
  if (raw.quoted || raw.literal) return [raw];
  const [, from, to] = /^\{(\d{1,6})\.\.(\d{1,6})\}$/.exec(written) ?? [];
  if (from !== undefined) return numbers(raw, Number(from), 1, Number(to));
  const [, ...parts] = /^\$\(seq (?:(\d{1,6}) )?(?:(\d{1,6}) )?(\d{1,6})\)$/.exec(written) ?? [];
  const [first, step, last] = parts;
  if (last !== undefined) return numbers(raw, Number(first ?? 1), Number(step ?? 1), Number(last));
  const [, listed] = /^\{([^{},]*(?:,[^{},]*)+)\}$/.exec(written) ?? [];
  if (listed === undefined) return [raw];
  let at = 1;
  return listed.split(',').map(one => {
    const part = { ...raw, text: slice(raw.text, at, at + one.length) };
    at += one.length + 1;
    return part;
  });
}

/** Numbers that a word stands for; no more than a loop may have. */
function numbers(raw: Raw, from: number, step: number, to: number): readonly Raw[] {
  const count = step < 1 ? 0 : Math.floor((to - from) / step) + 1;
  if (count < 1 || count > MOST_CELLS) return [raw];
  const place = raw.text.at[0] ?? 0;
  return Array.from({ length: count }, (_, i) => {
    const number = String(from + i * step);
    return { ...raw, text: { text: number, at: Array.from({ length: number.length + 1 }, () => place) } };
  });
}
