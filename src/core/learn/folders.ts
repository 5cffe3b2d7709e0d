import { foldersAbove, join } from '../text/paths';

/** Where a workspace keeps what its runs took. */
export const MEASUREMENTS = '.headroom/measurements.jsonl';

/** Folders above a config in which measurements are looked for. */
const FOLDERS_UP = 10;

/** The files whose measurements hold for a config: beside it, then in each folder above. */
export const measurementFiles = (config: string): readonly string[] =>
  foldersAbove(config, FOLDERS_UP).map(folder => join(folder, MEASUREMENTS));
