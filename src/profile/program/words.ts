import { basename } from 'node:path';

/** The words of `headroom profile`: a config, and the command after `--`. */
interface ProgramWords {
  readonly file: string | null;
  readonly command: readonly string[];
}

/**
 * Splits the operands by the `--` of the process's arguments. One word after `--` and none before is a file, as
 * for every program.
 */
export function programWords(operands: readonly string[], argv: readonly string[]): ProgramWords {
  const dashes = argv.indexOf('--');
  const after = dashes < 0 ? 0 : argv.length - dashes - 1;
  const before = operands.slice(0, operands.length - after);
  const command = operands.slice(operands.length - after);
  if (before.length === 0 && command.length === 1) return { file: command[0] ?? null, command: [] };
  return { file: before[0] ?? null, command };
}

const PYTHON = /^python[\d.]*(?:\.exe)?$/;

/** The Python that a command names by a path; null: the one of the environment. */
export function pythonNamed(command: readonly string[]): string | null {
  const word = command.find(one => !/^[A-Za-z_]\w*=/.test(one)) ?? '';
  return /[/\\]/.test(word) && PYTHON.test(basename(word.replaceAll('\\', '/'))) ? word : null;
}

/** A command as a shell shows it. */
export const commandText = (command: readonly string[]): string =>
  command
    .map(word => (/^[\w@%+=:,./{}~-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`))
    .join(' ');
