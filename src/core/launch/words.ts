import { basename, dirname, isAbsolute, join } from '../text/paths';
import { ownOf } from '../yaml/tables';
import { visible } from '../text/visible';

/** What stands in a command in place of words: `config` for `{config}`, `DATA` for itself. */
export type LaunchWords = Readonly<Record<string, string>>;

/** The words that a file's place gives. What lies in the folder that the run starts in is written from there. */
export function pathWords(file: string, folder: string): LaunchWords {
  const whole = isAbsolute(file) ? file : join(folder, file);
  const isInside = folder !== '' && whole.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
  const config = isInside ? whole.slice(folder.length).replace(/^\//, '') : whole;
  // A name that begins with a dash would be an option.
  const safe = config.startsWith('-') ? `./${config}` : config;
  return { config: safe, folder: dirname(whole), name: basename(file).replace(/\.[^.]+$/, '') };
}

const BRACES = /\{(\w+)\}/g;
/** `DATA`, `exp/NAME`, `--model=MODEL`: words of documentation that stand for something. */
const CAPITALS = /(?:^|[/=])([A-Z][A-Z_]{2,})$/;

/** Capitals that are words of a command themselves. */
const THEMSELVES: ReadonlySet<string> = new Set(['NUM_GPUS']);

function capitalsIn(word: string): string | null {
  const found = CAPITALS.exec(word)?.[1];
  return found === undefined || THEMSELVES.has(found) ? null : found;
}

/** A command's word with what is known in its place; what is not stays as it is. Keys may be written with their braces. */
export function fill(word: string, words: LaunchWords): string {
  const capitals = capitalsIn(word);
  if (capitals !== null) return word.slice(0, -capitals.length) + (ownOf(words, capitals) ?? capitals);
  return word.replace(BRACES, (all, name: string) => ownOf(words, name) ?? ownOf(words, all) ?? all);
}

/** Parts of a command's words that these words leave open, each once. */
export function openIn(argv: readonly string[], words: LaunchWords): readonly string[] {
  const all = argv.flatMap(word => {
    const capitals = capitalsIn(word);
    if (capitals !== null) return capitals in words ? [] : [capitals];
    return [...word.matchAll(BRACES)]
      .filter(([braces, name = '']) => !(name in words) && !(braces in words))
      .map(([braces]) => braces);
  });
  return [...new Set(all)];
}

/** A command as one types it into a shell: on one line, with nothing in it that a screen would obey or hide. */
export const shellLine = (argv: readonly string[]): string => argv.map(quoted).join(' ');

function quoted(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  return visible(word) === word ? `'${word.replaceAll("'", String.raw`'\''`)}'` : escapedWord(word);
}

/** `$'\e[2K'`, which bash and zsh take for the same characters. */
function escapedWord(word: string): string {
  const characters = Array.from(word, one => {
    if (one === "'" || one === '\\') return `\\${one}`;
    if (visible(one) === one) return one;
    const code = one.codePointAt(0) ?? 0;
    return (
      NAMED[one] ??
      (code < 0x80 ? `\\x${hex(code, 2)}` : code < 0x10000 ? `\\u${hex(code, 4)}` : `\\U${hex(code, 8)}`)
    );
  });
  return `$'${characters.join('')}'`;
}

const NAMED: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t', '\u001b': '\\e' };

const hex = (code: number, digits: number): string => code.toString(16).padStart(digits, '0');
