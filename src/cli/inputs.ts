import { stat } from 'node:fs/promises';
import { glob, isDynamicPattern } from 'tinyglobby';
import { corePath } from '../world/environment';
import { isAbsolute, join } from '../core/text/paths';

/** A file to check. Files that the user named must be readable; found ones are skipped silently. */
export interface InputFile {
  readonly path: string;
  readonly named: boolean;
}

interface Inputs {
  readonly files: readonly InputFile[];
  /** Sentences about arguments that match nothing. */
  readonly problems: readonly string[];
}

const CONFIGS = ['yaml', 'yml', 'toml', 'sbatch', 'slurm', 'sh', 'py', 'ipynb'].map(
  ending => `**/*.${ending}`,
);
const IGNORED = ['**/node_modules/**', '**/.git/**', '**/.venv/**', '**/site-packages/**'];

/** Expands files, folders and glob patterns, in order and without duplicates. */
export async function findInputs(args: readonly string[]): Promise<Inputs> {
  const files = new Map<string, InputFile>();
  const problems: string[] = [];
  for (const arg of args) {
    const found = await expand(arg);
    if (typeof found === 'string') problems.push(found);
    else for (const file of found) if (!files.get(file.path)?.named) files.set(file.path, file);
  }
  return { files: [...files.values()], problems };
}

async function expand(arg: string): Promise<readonly InputFile[] | string> {
  const path = corePath(arg).replace(/(?<=[^/])\/+$/, '');
  const kind = await stat(arg).then(
    found => (found.isDirectory() ? 'folder' : 'file'),
    () => null,
  );
  // In core's notation, so that a file found twice counts once.
  if (kind === 'file') return [{ path: join('', path), named: true }];
  if (kind === 'folder') {
    return (await search(CONFIGS, path)).map(file => ({ path: join(path, file), named: false }));
  }
  if (!isDynamicPattern(path)) return `${arg || "''"}: no such file or folder; check the path.`;
  const matches = await search([path], '.', isAbsolute(path));
  if (matches.length === 0) return `${arg}: no file matches this pattern.`;
  return matches.map(file => ({ path: file, named: false }));
}

async function search(patterns: string[], cwd: string, absolute = false): Promise<string[]> {
  const options = { cwd, absolute, ignore: IGNORED, dot: false, onlyFiles: true, followSymbolicLinks: false };
  return (await glob(patterns, options)).sort();
}
