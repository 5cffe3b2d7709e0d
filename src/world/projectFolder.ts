import type { Files } from '../core/text/files';
import { dirname } from '../core/text/paths';

/** What the top folder of a project has: git's folder, or a file of Python's packaging (packaging.python.org). */
const MARKERS: readonly ReadonlySet<string>[] = [
  new Set(['.git']),
  new Set(['pyproject.toml', 'setup.py', 'setup.cfg', 'requirements.txt']),
];

/** Folders above a file in which its project may begin. */
const MOST_FOLDERS = 8;

/** The top folder of the project that a file lies in, git's before a package's; null: nothing above the file says one. */
export async function projectFolder(files: Pick<Files, 'list'>, file: string): Promise<string | null> {
  const all: { readonly folder: string; readonly names: readonly string[] }[] = [];
  let folder = dirname(file);
  while (all.length < MOST_FOLDERS && folder !== '' && folder !== '/') {
    all.push({ folder, names: await files.list(folder) });
    // What is above a folder that is only steps up can't be said by shortening its path.
    if (folder.endsWith('..')) break;
    folder = dirname(folder);
  }
  const found = MARKERS.map(marker => all.find(({ names }) => names.some(name => marker.has(name))));
  return found.find(one => one !== undefined)?.folder ?? null;
}
