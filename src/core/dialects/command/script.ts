import { YAML_NAME } from './arguments';
import type { Command } from './word';

/** Modules that start the script behind them. */
const LAUNCHER_MODULE = /^(?:torch\.distributed\.(?:run|launch)|accelerate\.commands\.launch)$/;

/** The script of a command, or its first words: `trl sft`. */
export function programOf(command: Command): string {
  const at = startIn(command);
  const start = command[at]?.text ?? '';
  if (start.endsWith('.py')) return start;
  if (at >= 0) return (command[at + 1]?.text ?? '').replaceAll('.', '/');
  const flag = command.findIndex(({ text }) => text.startsWith('-') || YAML_NAME.test(text));
  return command
    .slice(0, flag < 0 ? undefined : flag)
    .map(({ text }) => text)
    .join('/');
}

/** Where a command names its script, or says that a module follows. Behind a module, `.py` is the value of one of its flags. */
const startIn = (command: Command): number =>
  command.findIndex(
    ({ text }, i) => /\.py$|^-m$|^--module$/.test(text) && !LAUNCHER_MODULE.test(command[i + 1]?.text ?? ''),
  );

/** The words behind a command's script; null: some are known only when it starts. */
export function wordsBehind(command: Command): readonly string[] | null {
  const at = startIn(command);
  const behind = command.slice(at + (command[at]?.text.endsWith('.py') === true ? 1 : 2));
  return at < 0 || behind.some(({ open }) => open) ? null : behind.map(({ text }) => text);
}

/**
 * `--batch_size 32 $MODE`: words that are known only when it starts may be flags, which replace those before them. A flag
 * that a branch adds is only itself unknown; the interpreter of `$PYTHON train.py` is none, unlike what may be a launcher.
 */
export const hasOpenFlags = (command: Command): boolean =>
  command.some(({ text, open }, at) => {
    const isValue = command[at - 1]?.text.startsWith('-') === true;
    const isInterpreter = at < startIn(command) && /py/i.test(text);
    return open && !isValue && !isInterpreter && /^\$(?!\{?[@*])/.test(text);
  });
