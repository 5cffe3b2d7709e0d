import { foldersAbove, join } from '../../text/paths';

/** Where a workspace keeps its own dialects. */
export const DIALECTS = '.headroom/dialects';

const FILE = /(?:^|\/)\.headroom\/dialects\/[^/]+\.ya?ml$/;

/** True for a file that defines a dialect. */
export const definesDialect = (path: string): boolean => FILE.test(path);

/** Folders above a file in which dialects are looked for. */
const FOLDERS_UP = 10;

/** The folders whose dialects hold for a file: beside it, then in each folder above. */
export const dialectFolders = (file: string): readonly string[] =>
  foldersAbove(file, FOLDERS_UP).map(folder => join(folder, DIALECTS));
