import { access, constants, stat } from 'node:fs/promises';
import { dirname, join, parse } from 'node:path';

/** A Python, and where it was found. */
export interface FoundPython {
  readonly executable: string;
  readonly why: string;
}

/** The inputs of a search for Python. */
export interface PythonSearch {
  /** Given explicitly by `--python` or the setting; null: not given. */
  readonly named: string | null;
  /** The folder of the config. */
  readonly folder: string;
  /** The folder at which the upward search ends; null: after a few levels. */
  readonly top: string | null;
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
}

/**
 * Environment folders next to a project: venv's names, uv's and poetry's in-project one, pixi's, conda's by prefix.
 */
const FOLDERS = ['.venv', 'venv', 'env', join('.pixi', 'envs', 'default'), '.conda', 'conda-env'];

/** Folders above a config to search for an environment. */
const FOLDERS_UP = 6;

/**
 * The Python of the user's environment: the given one, the active one (a virtual environment, conda's), an
 * environment next to the config or above it, the one on the PATH. The search starts no process.
 */
export async function findPython(search: PythonSearch): Promise<FoundPython | null> {
  if (search.named !== null) return { executable: search.named, why: 'chosen by you' };
  const { VIRTUAL_ENV: active, CONDA_PREFIX: conda, CONDA_DEFAULT_ENV: name } = search.variables;
  if (active) {
    const found = await pythonIn(active, search.platform);
    if (found) return { executable: found, why: 'the active virtual environment' };
  }
  // Conda's base is active in every shell, so the project's environment takes precedence.
  const base = !conda || name === 'base';
  if (conda && !base) {
    const found = await pythonIn(conda, search.platform);
    if (found) return { executable: found, why: `the active conda environment ${name ?? ''}`.trim() };
  }
  return (
    (await pythonInProject(search)) ??
    (await baseOf(search, base ? conda : undefined)) ??
    (await onPath(search))
  );
}

async function pythonInProject({ folder, top, platform }: PythonSearch): Promise<FoundPython | null> {
  let at = folder;
  for (let up = 0; up < FOLDERS_UP; up++) {
    for (const name of FOLDERS) {
      const found = await pythonIn(join(at, name), platform);
      if (found) return { executable: found, why: `the environment ${join(at, name)}` };
    }
    if (at === top || at === parse(at).root) return null;
    at = dirname(at);
  }
  return null;
}

async function baseOf({ platform }: PythonSearch, conda: string | undefined): Promise<FoundPython | null> {
  const found = conda ? await pythonIn(conda, platform) : null;
  return found ? { executable: found, why: 'conda’s base environment' } : null;
}

async function onPath({ variables, platform }: PythonSearch): Promise<FoundPython | null> {
  const windows = platform === 'win32';
  const names = windows ? ['python.exe'] : ['python3', 'python'];
  for (const folder of (variables['PATH'] ?? variables['Path'] ?? '').split(windows ? ';' : ':')) {
    if (folder === '') continue;
    for (const name of names) {
      const executable = join(folder, name);
      if (await runs(executable)) return { executable, why: 'the first on your PATH' };
    }
  }
  return null;
}

async function pythonIn(folder: string, platform: NodeJS.Platform): Promise<string | null> {
  const places =
    platform === 'win32' ? [join('Scripts', 'python.exe'), 'python.exe'] : [join('bin', 'python')];
  for (const place of places) {
    const executable = join(folder, place);
    if (await runs(executable)) return executable;
  }
  return null;
}

async function runs(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}
