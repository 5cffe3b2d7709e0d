/**
 * File paths in core: '/'-separated, absolute (`/a/b`, `C:/a/b`, `scheme://…`) or relative to the workspace. The
 * host converts them to its own kind; core never touches a file system.
 */

const ABSOLUTE = /^(?:\/|[A-Za-z]:\/|[A-Za-z][\w+.-]+:\/\/)/;

export function isAbsolute(path: string): boolean {
  return ABSOLUTE.test(path);
}

/** The folder of a path, or '' for a name without one. */
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

/** An empty part, `.` or `..`. */
const ODD_PART = /(?:^|\/)\.{0,2}(?:\/|$)/;

function normalize(path: string): string {
  const root = ABSOLUTE.exec(path)?.[0] ?? '';
  if (!ODD_PART.test(path.slice(root.length))) return path;
  const kept: string[] = [];
  for (const part of path.slice(root.length).split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..' && kept.length > 0 && kept.at(-1) !== '..') kept.pop();
    else if (part !== '..' || root === '') kept.push(part);
  }
  return root + kept.join('/');
}

/** A file's folder and those above it, nearest first, at most `most`. */
export function foldersAbove(file: string, most: number): readonly string[] {
  const folders: string[] = [];
  for (let at = dirname(file); folders.length < most; at = parentOf(at)) {
    if (at === folders.at(-1)) break;
    folders.push(at);
  }
  return folders;
}

/** Paths relative to the working directory continue above it. */
function parentOf(folder: string): string {
  if (folder === '') return '..';
  return /^\.\.(?:\/\.\.)*$/.test(folder) ? `../${folder}` : dirname(folder);
}

/** The workspace's file of measurements. */
export const MEASUREMENTS = '.headroom/measurements.jsonl';

/** The workspace's file of counted data lengths. */
export const LENGTHS = '.headroom/lengths.jsonl';

/** The folder of the workspace's own dialects. */
export const DIALECTS = '.headroom/dialects';

const DIALECT_FILE = /(?:^|\/)\.headroom\/dialects\/[^/]+\.ya?ml$/;

/** True for a file that defines a dialect. */
/** True for a Python program or a notebook. */
export const isProgram = (path: string): boolean => /\.(?:py|ipynb)$/i.test(path);

export const definesDialect = (path: string): boolean => DIALECT_FILE.test(path);

/** Number of parent folders in which to look for Headroom's own files. */
const FOLDERS_UP = 10;

/** The paths of this name in a file's folder and in each folder above: the places that apply to the file. */
export const nearby = (file: string, name: string): readonly string[] =>
  foldersAbove(file, FOLDERS_UP).map(folder => join(folder, name));
