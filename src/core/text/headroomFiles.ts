import { foldersAbove, join } from './paths';

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
