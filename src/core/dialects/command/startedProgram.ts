import { join } from '../../text/paths';
import type { Layer, NearbyFiles, OwnProgram, Setting } from '../engine/compose';
import { isOtherWork } from '../engine/otherWork';
import { YAML_NAME } from './arguments';
import { foldersEntered } from './entered';
import { processesOf } from './launchers';
import type { Command } from './word';

/** A command, and the files around it. */
interface Starts {
  readonly command: Command;
  readonly opened: Layer;
  readonly files: NearbyFiles;
}

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
function wordsBehind(command: Command): readonly string[] | null {
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

/** The program that a command of `python`, `torchrun` or `accelerate launch` starts. */
export async function programIn(
  { command, files, opened }: Starts,
  settings: readonly Setting[],
): Promise<OwnProgram | null> {
  const isPython = command.some(({ text }) => text.endsWith('.py') || text === '-m' || text === '--module');
  if (!isPython) return null;
  const script = programOf(command);
  const processes = processesOf(command);
  const words = wordsBehind(command);
  const started = { ...(processes !== undefined && { processes }), ...(words && { words }) };
  for (const name of [script, ...foldersEntered(opened.yaml.text).map(folder => join(folder, script))]) {
    const found = await files.ownProgram?.(name, opened.path, settings, started);
    if (found) return found;
  }
  return null;
}

/** Flags of programs that can also train: `--mode eval`, `--eval-only`. */
const MODE = /^(?:--)?(?:mode|phase)(?:=(.{1,40}))?$/;
const ONLY = /^--(?:eval(?:uate|uation)?|test|infer(?:ence)?|predict)[-_]only(?:=(.{1,10}))?$/;

/** True if a command only evaluates or predicts: by its flags, or by its program's name if that program does not train. */
export async function doesOtherWork({ command, opened, files }: Starts): Promise<boolean> {
  const saysSo = command.some(({ text }, at) => {
    const next = command[at + 1]?.text ?? '';
    const [isMode, mode = next] = MODE.exec(text) ?? [];
    const [isOnly, only = next] = ONLY.exec(text) ?? [];
    return (
      (isMode !== undefined && isOtherWork(mode)) || (isOnly !== undefined && !/^(?:false|0|no)$/i.test(only))
    );
  });
  if (saysSo || !isOtherWork(programOf(command))) return saysSo;
  return (await programIn({ command, files, opened }, []))?.trains !== true;
}
