/**
 * File paths as core sees them: '/'-separated, absolute (`/a/b`, `C:/a/b`, `scheme://…`) or relative to the
 * workspace. The host turns them into its own kind; core never touches a file system.
 */

const ABSOLUTE = /^(?:\/|[A-Za-z]:\/|[A-Za-z][\w+.-]+:\/\/)/;

export function isAbsolute(path: string): boolean {
  return ABSOLUTE.test(path);
}

/** The folder that holds a path, or '' for a bare name. */
export function dirname(path: string): string {
  const cut = path.lastIndexOf('/');
  return cut < 0 ? '' : cut === 0 ? '/' : path.slice(0, cut);
}

export function basename(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Joins and resolves `.` and `..`; an absolute second part wins. */
export function join(base: string, part: string): string {
  if (isAbsolute(part) || base === '') return normalize(part);
  return normalize(`${base}/${part}`);
}

function normalize(path: string): string {
  const root = ABSOLUTE.exec(path)?.[0] ?? '';
  const kept: string[] = [];
  for (const part of path.slice(root.length).split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..' && kept.length > 0 && kept.at(-1) !== '..') kept.pop();
    else if (part !== '..' || root === '') kept.push(part);
  }
  return root + kept.join('/');
}

/** The folder of a file and those above it, the nearest first, at most so many. */
export function foldersAbove(file: string, most: number): readonly string[] {
  const folders: string[] = [];
  for (let at = dirname(file); folders.length < most; at = aboveOf(at)) {
    if (at === folders.at(-1)) break;
    folders.push(at);
  }
  return folders;
}

/** Paths that begin where a program was started go on above it. */
function aboveOf(folder: string): string {
  if (folder === '') return '..';
  return /^\.\.(?:\/\.\.)*$/.test(folder) ? `../${folder}` : dirname(folder);
}

/** Where a workspace keeps what its runs took. */
export const MEASUREMENTS = '.headroom/measurements.jsonl';

/** Where a workspace keeps how long its data are. */
export const LENGTHS = '.headroom/lengths.jsonl';

/** The folder in which a workspace keeps its own dialects. */
export const DIALECTS = '.headroom/dialects';

const DIALECT_FILE = /(?:^|\/)\.headroom\/dialects\/[^/]+\.ya?ml$/;

/** True for a file that defines a dialect. */
export const definesDialect = (path: string): boolean => DIALECT_FILE.test(path);

/** Folders above a file in which Headroom's own files are looked for. */
const FOLDERS_UP = 10;

/** One of these names in a file's folder, then in each folder above: the places whose content holds for the file. */
export const nearby = (file: string, name: string): readonly string[] =>
  foldersAbove(file, FOLDERS_UP).map(folder => join(folder, name));
