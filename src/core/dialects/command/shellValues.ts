import { joined, placed, slice } from './located';
import type { Located } from '../../text/located';

/** `$(dirname "$0")`, by its quotes' text alone: also of the link behind it, and as bash says it. */
const FOLDER =
  /\$\(dirname (?:-- )?(?:\$\((?:readlink -f|realpath) )?\$(?:0|\{0\}|BASH_SOURCE|\{BASH_SOURCE(?:\[0\])?(?::-\$0)?\})\)?\)/g;

/** `$(cd … && pwd)`. */
const ENTERED = /\$\(cd (?:-- )?([\w./-]{1,200}) ?(?:&?> ?\/dev\/null )?(?:2>&1 )?(?:&&|;) ?pwd(?: -P)?\)/g;

/** A text of a script in which its own folder is `.`: files that it names are looked up from there. */
const fromOwnFolder = (text: string): string =>
  text.includes('$(') ? text.replaceAll(FOLDER, '.').replaceAll(ENTERED, '$1') : text;

/** Variables by name; null: set to an unknown value. */
export type Variables = ReadonlyMap<string, string | null>;

/** The variable syntax: `${A}` in a shell and Compose, `$(A)` in Kubernetes. */
export type Syntax = 'shell' | 'kubernetes';

const SHELL = /\$\{([A-Za-z_]\w*|\d)(?:(:?[-=+])([^${}]*))?\}|\$([A-Za-z_]\w*|\d)|\$\$/g;
const KUBERNETES = /\$\(([A-Za-z_]\w*)\)/g;

/** Defaults in defaults: `${A:-${1:-b}}`. */
const DEEPEST = 4;

/** A text with known variables substituted; unknown ones use their default, if any. */
export function filledIn(text: string, variables: Variables, syntax: Syntax): string {
  let filled = filledOnce(text, variables, syntax);
  for (let depth = 1, before = text; depth < DEEPEST && filled.includes(':-') && filled !== before; depth++) {
    before = filled;
    filled = filledOnce(filled, variables, syntax);
  }
  return filled;
}

function filledOnce(text: string, variables: Variables, syntax: Syntax): string {
  const written = syntax === 'kubernetes' ? text : fromOwnFolder(text);
  const pattern = syntax === 'kubernetes' ? KUBERNETES : SHELL;
  let length = written.length;
  const filled = written.replaceAll(pattern, (all: string, ...groups: readonly unknown[]) => {
    if (all === '$$') return '$';
    if (length > MOST_CHARACTERS) return all;
    const [braced, operator, other, plain] = groups.map(one => (typeof one === 'string' ? one : null));
    const name = braced ?? plain ?? '';
    const word = syntax === 'shell' && other !== null && other !== undefined ? unquoted(other) : null;
    const known = valueOf(variables, name, operator?.endsWith('+') ? { set: word } : { unset: word });
    // With a colon, what is empty counts as unset.
    const value = (known === '' && /^:[-=]/.test(operator ?? '') ? word : known) ?? all;
    length += value.length;
    return value;
  });
  return syntax === 'kubernetes'
    ? filled
    : filled.replaceAll(ARITHMETIC, (all, sum: string) => reckoned(sum, variables) ?? all);
}

/** A program's text with known variables substituted; what is substituted stands at the start of its line. */
export function filledLines(text: Located, variables: Variables, syntax: Syntax): Located {
  if (!text.text.includes('$')) return text;
  const parts: Located[] = [];
  let at = 0;
  for (const line of text.text.split(/(?<=\n)/)) {
    const filled = filledIn(line, variables, syntax);
    parts.push(filled === line ? slice(text, at, at + line.length) : placed(filled, text.at[at] ?? 0));
    at += line.length;
  }
  return joined(parts);
}

/** A variable's value, or the word in its place where it is set, or is not; null: unknown. */
function valueOf(
  variables: Variables,
  name: string,
  { set, unset }: { readonly set?: string | null; readonly unset?: string | null },
): string | null {
  if (name === 'HOME' && !variables.has(name)) return set === undefined ? '~' : set;
  const value = variables.get(name) ?? null;
  if (set === undefined) return variables.has(name) ? value : (unset ?? null);
  // What no one has set is empty, as it is for defaults.
  if (!variables.has(name) || value === '') return '';
  return value === null ? null : set;
}

const unquoted = (text: string): string => /^(['"])(.*)\1$/.exec(text)?.[2] ?? text;

/** `$(( 8 * N ))`, after substitution of variables with a dollar sign. */
const ARITHMETIC = /\$\(\(([\w\s+\-*/()]*)\)\)/g;

/** Length limit of a word; a longer one stays as written. */
const MOST_CHARACTERS = 100_000;

/** Token limit, because parentheses recurse; hand-written arithmetic has a few dozen. */
const MOST_TOKENS = 1000;

/** Evaluates integers and variables with + - * / and parentheses; null if a part is unknown. */
function reckoned(sum: string, variables: Variables): string | null {
  const tokens = sum.match(/\d+|[A-Za-z_]\w*|[-+*/()]/g) ?? [];
  if (tokens.length > MOST_TOKENS) return null;
  let at = 0;
  const factor = (): number => {
    const token = tokens[at++] ?? '';
    if (token === '(') {
      const inner = total();
      at += 1;
      return inner;
    }
    const value = /^\d/.test(token) ? token : (variables.get(token) ?? '');
    return /^\d+$/.test(value) ? Number(value) : Number.NaN;
  };
  const product = (): number => {
    let value = factor();
    while (tokens[at] === '*' || tokens[at] === '/') {
      value = tokens[at++] === '*' ? value * factor() : Math.trunc(value / factor());
    }
    return value;
  };
  const total = (): number => {
    let value = product();
    while (tokens[at] === '+' || tokens[at] === '-') {
      value = tokens[at++] === '+' ? value + product() : value - product();
    }
    return value;
  };
  const value = total();
  return at === tokens.length && Number.isFinite(value) ? String(value) : null;
}
