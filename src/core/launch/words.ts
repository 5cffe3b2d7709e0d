import { basename, dirname, isAbsolute, join } from '../text/paths';

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
  if (capitals !== null) return word.slice(0, -capitals.length) + (words[capitals] ?? capitals);
  return word.replace(BRACES, (all, name: string) => words[name] ?? words[all] ?? all);
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

/** A command as one types it into a POSIX shell. */
export const shellLine = (argv: readonly string[]): string => argv.map(quoted).join(' ');

const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
