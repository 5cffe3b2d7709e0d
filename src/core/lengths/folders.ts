import { foldersAbove, join } from '../text/paths';

/** Where a workspace keeps how long its data are. */
export const LENGTHS = '.headroom/lengths.jsonl';

/** Folders above a config in which they are looked for. */
const FOLDERS_UP = 10;

/** The files whose counts hold for a config: beside it, then in each folder above. */
export const lengthFiles = (config: string): readonly string[] =>
  foldersAbove(config, FOLDERS_UP).map(folder => join(folder, LENGTHS));
