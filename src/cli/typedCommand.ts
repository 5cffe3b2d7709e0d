import { existsSync } from 'node:fs';
import { text } from 'node:stream/consumers';

/** The name under which a command is reported that stands in no file. */
export const TYPED = 'command.sh';

/** A command's words as a shell would read them back; one word is a whole line already. */
export const commandText = (words: readonly string[]): string =>
  words.length === 1 ? (words[0] ?? '') : words.map(quoted).join(' ');

/** The command that was given instead of files: behind `--`, or as a line on stdin for `-`; null: there is none. */
export async function typedCommand(
  operands: readonly string[],
  argv: readonly string[],
): Promise<string | null> {
  if (operands.length === 1 && operands[0] === '-') return text(process.stdin);
  const cut = argv.indexOf('--');
  const words = cut < 0 ? [] : argv.slice(cut + 1);
  if (words.length === 0 || words.length !== operands.length) return null;
  // Behind `--` may also stand files, whose names begin as options do.
  const [first = ''] = words;
  const isFile = first.startsWith('-') || existsSync(first) || !/\s/.test(words.join(' '));
  return isFile ? null : commandText(words);
}

/** A word as a shell would read it back. */
const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
