import { dirname, join } from '../../text/paths';

/** Where a workspace keeps its own dialects. */
export const DIALECTS = '.headroom/dialects';

const FILE = /(?:^|\/)\.headroom\/dialects\/[^/]+\.ya?ml$/;

/** True for a file that defines a dialect. */
export const definesDialect = (path: string): boolean => FILE.test(path);

/** Folders above a file in which dialects are looked for. */
const FOLDERS_UP = 10;

/** The folders whose dialects hold for a file: beside it, then in each folder above. */
export function dialectFolders(file: string): readonly string[] {
  const folders: string[] = [];
  let at = dirname(file);
  for (let up = 0; up < FOLDERS_UP; up++) {
    folders.push(join(at, DIALECTS));
    const above = aboveOf(at);
    if (above === at) break;
    at = above;
  }
  return folders;
}

/** Paths that begin where a program was started go on above it. */
function aboveOf(folder: string): string {
  if (folder === '') return '..';
  return /^\.\.(?:\/\.\.)*$/.test(folder) ? `../${folder}` : dirname(folder);
}
