import type { Span } from './span';

/** Characters before a value among which its name is looked for. */
const NEAR = 300;

/** `batch_size=`, `batch_size: int = `, `"batch_size": `, right before a value. */
const NAMED = /(["']?)\b([A-Za-z_]\w{0,60})\1\s{0,4}(?::[^=\n:]{0,40})?[=:]\s{0,4}$/;

/** The flags of an option whose default the value is: `add_argument("-b", "--batch_size", type=int, default=`. */
const OPTION = /\b(?:add_argument|option|flag|DEFINE_\w{1,20})\(((?:(?!add_argument)[^#]){0,280})$/;
const FLAG = /["']-{0,2}[A-Za-z][\w-]{0,80}["']/g;

/** Words of an expression that may be names: of `CONFIG["batch_size"]`, `$BATCH`, `args.batch_size`. */
const WORD = /[A-Za-z_]\w{0,80}/g;

/** Words of one expression that are looked up. */
const MOST_WORDS = 6;

/**
 * Where a program or a script names a value, besides the key of its quantity: the argument right before it, the flags of
 * the option whose default it is, and the names in it where the file gives them this value. `value`: what it is.
 */
export function namesOf(text: string, { start, end }: Span, value: string): readonly Span[] {
  const before = text.slice(Math.max(0, start - NEAR), start);
  const from = start - before.length;
  const found: Span[] = [];
  const argument = NAMED.exec(before);
  if (argument) found.push(spanOf(from + argument.index, (argument[1] ?? '') + (argument[2] ?? '')));
  const option = OPTION.exec(before);
  for (const flag of option?.[1]?.matchAll(FLAG) ?? []) {
    found.push(spanOf(from + before.length - (option?.[1]?.length ?? 0) + flag.index, flag[0]));
  }
  if (value === '' || !/[A-Za-z_]/.test(text.slice(start, end))) return found;
  const words = new Set(text.slice(start, end).match(WORD)?.slice(0, MOST_WORDS));
  return [...found, ...definitionsIn(text, words, value)];
}

const spanOf = (start: number, text: string): Span => ({ start, end: start + text.length });

/** `BATCH_SIZE = 64`, `"batch_size": 64`, `BATCH_SIZE=${1:-64}`, with one of these names and this value. */
const DEFINED =
  /^[ \t]{0,40}(?:export |local |declare )?["']?([A-Za-z_]\w{0,80})["']?[ \t]{0,8}(?::[^=\n:]{0,60})?[=:][ \t]{0,8}([^\n#,]{0,200})/gm;

function definitionsIn(text: string, words: ReadonlySet<string>, value: string): readonly Span[] {
  return [...text.matchAll(DEFINED)].flatMap(({ index, 0: line, 1: name = '', 2: stated = '' }) =>
    words.has(name) && isValue(stated, value) ? [spanOf(index + line.indexOf(name), name)] : [],
  );
}

const isValue = (stated: string, value: string): boolean => {
  // A notebook's file has its lines as texts: `"BATCH = 8\\n",`.
  const plain = stated.trim().replaceAll(/^["'(]{1,2}|(?:\\n)?["')};]{1,3}$/g, '');
  return plain === value || plain.endsWith(`:-${value}`) || plain.replaceAll('_', '') === value;
};
