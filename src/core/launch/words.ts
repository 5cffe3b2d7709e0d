import { basename, dirname, isAbsolute, join } from '../text/paths';
import { ownOf } from '../yaml/tables';
import { visible } from '../text/visible';

/** Values for the placeholders of a command: `config` for `{config}`, `DATA` for itself. */
export type LaunchWords = Readonly<Record<string, string>>;

/** The values that follow from a file's path; paths inside the folder that the run starts in are relative to it. */
export function pathWords(file: string, folder: string): LaunchWords {
  const whole = isAbsolute(file) ? file : join(folder, file);
  const isInside = folder !== '' && whole.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
  const config = isInside ? whole.slice(folder.length).replace(/^\//, '') : whole;
  // A name that begins with a dash would be parsed as an option.
  const safe = config.startsWith('-') ? `./${config}` : config;
  return { config: safe, folder: dirname(whole), name: basename(file).replace(/\.[^.]+$/, '') };
}

const BRACES = /\{(\w+)\}/g;
/** `DATA`, `exp/NAME`, `--model=MODEL`: placeholders of documentation. */
const CAPITALS = /(?:^|[/=])([A-Z][A-Z_]{2,})$/;

/** Words in capitals that are part of a command. */
const THEMSELVES: ReadonlySet<string> = new Set(['NUM_GPUS']);

function capitalsIn(word: string): string | null {
  const found = CAPITALS.exec(word)?.[1];
  return found === undefined || THEMSELVES.has(found) ? null : found;
}

/** Fills in the known placeholders of a word; others stay. Keys may include the braces. */
export function fill(word: string, words: LaunchWords): string {
  const capitals = capitalsIn(word);
  if (capitals !== null) return word.slice(0, -capitals.length) + (ownOf(words, capitals) ?? capitals);
  return word.replace(BRACES, (all, name: string) => ownOf(words, name) ?? ownOf(words, all) ?? all);
}

/** The placeholders that these words leave open, without duplicates. */
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

/** A command as one types it into a shell: on one line, without control or invisible characters. */
export const shellLine = (argv: readonly string[]): string => argv.map(quoted).join(' ');

function quoted(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  return visible(word) === word ? `'${word.replaceAll("'", String.raw`'\''`)}'` : escapedWord(word);
}

/** `$'\e[2K'`, which bash and zsh read as the same characters. */
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
