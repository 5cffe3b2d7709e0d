import { constants } from 'node:fs';
import { access, readdir, stat } from 'node:fs/promises';
import { basename, delimiter, isAbsolute, join, relative } from 'node:path';

/**
 * A command as this machine would start it; `why` is the sentence that says what is missing, null if nothing is.
 */
interface FoundCommand {
  readonly argv: readonly string[];
  readonly resume: readonly string[] | null;
  readonly why: string | null;
}

/** The command to start, and its folder. */
interface CommandHere {
  readonly argv: readonly string[];
  readonly resume: readonly string[] | null;
  readonly folder: string;
  /** The environment that it starts with; programs are found on its PATH. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Programs that take a script, which is their first argument with the extension `.py`. */
const TAKES_SCRIPT = /^(?:python[\d.]*|torchrun|accelerate|deepspeed|composer|ray)(?:\.exe)?$/;

/**
 * Resolves a command on this machine: its program is on the PATH, and its script is where the command says, or is
 * the only one of that name in the folder. Nothing is executed.
 */
export async function commandHere(command: CommandHere): Promise<FoundCommand> {
  const found = await withScript(command);
  const [program = ''] = found.argv;
  if (found.why !== null || (await isProgram(program, command.folder, command.environment))) return found;
  const why = `${program} isn't installed here: it is not on the PATH. Activate its environment, or install it.`;
  return { ...found, why };
}

async function withScript({ argv, resume, folder }: CommandHere): Promise<FoundCommand> {
  const [program = ''] = argv;
  const script = TAKES_SCRIPT.test(basename(program)) ? argv.find(word => word.endsWith('.py')) : undefined;
  if (script === undefined || isAbsolute(script) || (await isFile(join(folder, script)))) {
    return { argv, resume, why: null };
  }
  const found = await scriptsNamed(basename(script), folder);
  const [only, ...others] = found;
  if (only !== undefined && others.length === 0) {
    const inPlace = (words: readonly string[]): readonly string[] =>
      words.map(word => (word === script ? only : word));
    return { argv: inPlace(argv), resume: resume && inPlace(resume), why: null };
  }
  const which =
    only === undefined ? 'Start the run from the folder that has it.' : `Found: ${found.join(', ')}.`;
  return { argv, resume, why: `${script} isn't in ${folder}. ${which}` };
}

async function isProgram(
  program: string,
  folder: string,
  environment: CommandHere['environment'],
): Promise<boolean> {
  // Windows appends extensions and searches more places than the PATH.
  if (process.platform === 'win32') return true;
  if (program.includes('/')) return isExecutable(isAbsolute(program) ? program : join(folder, program));
  const folders = (environment['PATH'] ?? '').split(delimiter).filter(path => path !== '');
  for (const path of folders) if (await isExecutable(join(path, program))) return true;
  return false;
}

const isExecutable = async (path: string): Promise<boolean> =>
  (await isFile(path)) &&
  access(path, constants.X_OK).then(
    () => true,
    () => false,
  );

const isFile = (path: string): Promise<boolean> =>
  stat(path).then(
    found => found.isFile(),
    () => false,
  );

/** Maximum depth and number of folders that are searched for a script. */
const DEPTH = 3;
const MOST_FOLDERS = 500;

/** Third-party packages and generated files. */
const SKIPPED = /^(?:\..*|node_modules|__pycache__|site-packages|venv|env|build|dist|outputs?|tests?)$/;

/** Scripts of a name below a folder, nearest first, as paths relative to it. */
async function scriptsNamed(name: string, folder: string): Promise<readonly string[]> {
  const found: string[] = [];
  let level = [folder];
  let looked = 0;
  for (let depth = 0; depth <= DEPTH && level.length > 0 && found.length === 0; depth++) {
    const below: string[] = [];
    for (const path of level) {
      if (++looked > MOST_FOLDERS) return found;
      const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
      if (entries.some(entry => entry.isFile() && entry.name === name)) {
        found.push(relative(folder, join(path, name)).replaceAll('\\', '/'));
      }
      below.push(
        ...entries
          .filter(entry => entry.isDirectory() && !SKIPPED.test(entry.name))
          .map(entry => join(path, entry.name)),
      );
    }
    level = below;
  }
  return found;
}
