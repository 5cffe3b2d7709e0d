import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { corePath } from '../../world/environment';
import { git, gitObjects } from './git';
import { BadInput } from '../output';

/** The files of one side of a comparison, in a folder. */
export interface Revision {
  /** In core's notation. */
  readonly folder: string;
  /** Hashes by path, to tell which files differ; null for a plain folder. */
  readonly hashes: ReadonlyMap<string, string> | null;
  /** Removes what was written for it. */
  readonly close: () => void;
}

/** Names of files that analyses read: configs, launchers, pages with commands, versions. */
const READABLE =
  /(?:\.(?:ya?ml|json|sh|bash|sbatch|slurm|toml|py|ipynb|md|txt|cfg|ini|env)|(?:^|\/)(?:Makefile|justfile|Dockerfile[^/]*|\.env|\.gitignore))$/;
const MOST_FILE_BYTES = 2 * 1024 * 1024;
const MOST_FILES = 50_000;
const MOST_BYTES = 512 * 1024 * 1024;

/** A folder, or a Git revision whose text files below the working folder are written to a temporary folder. */
export async function openRevision(name: string): Promise<Revision> {
  if (isFolder(name)) return { folder: corePath(resolve(name)), hashes: null, close: () => undefined };
  const commit = await git('rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`);
  if (commit === null) throw new BadInput(`${name}: neither a folder nor a Git revision here.`);
  const folder = mkdtempSync(join(tmpdir(), 'headroom-diff-'));
  const close = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    const hashes = await writeFiles(commit.trim(), folder, name);
    return { folder: corePath(folder), hashes, close };
  } catch (error) {
    close();
    throw error;
  }
}

function isFolder(name: string): boolean {
  return statSync(name, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** `100644 blob HASH SIZE\tPATH`: only regular files. Links could point outside. */
const ENTRY = /^100(?:644|755) blob ([0-9a-f]{40,64}) +(\d+)\t(.+)$/s;

async function writeFiles(
  commit: string,
  folder: string,
  name: string,
): Promise<ReadonlyMap<string, string>> {
  const listed = await git('ls-tree', '-r', '-z', '--long', commit);
  if (listed === null) throw new BadInput(`${name}: Git can't list the files of this revision.`);
  const files = listed.split('\0').flatMap(entry => {
    const [, hash = '', size = '', path = ''] = ENTRY.exec(entry) ?? [];
    return isWanted(path, Number(size)) ? [{ hash, size: Number(size), path }] : [];
  });
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  if (files.length > MOST_FILES || bytes > MOST_BYTES) {
    throw new BadInput(`${name}: too many files. Run headroom diff in a folder with fewer.`);
  }
  const contents = await gitObjects(files.map(({ hash }) => hash));
  for (const { hash, path } of files) {
    const content = contents.get(hash);
    if (content) writeBelow(folder, path, content);
  }
  return new Map(files.map(({ hash, path }) => [path, hash]));
}

/** A tree made by hand could name files outside its folder. */
const isWanted = (path: string, size: number): boolean =>
  READABLE.test(path) && size <= MOST_FILE_BYTES && !/(?:^|[\\/])\.\.?(?:[\\/]|$)|^[\\/]|:/.test(path);

function writeBelow(folder: string, path: string, content: Uint8Array): void {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content, { flag: 'wx' });
}
