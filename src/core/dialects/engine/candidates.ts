import { dirname, isAbsolute, join } from '../../text/paths';

/**
 * Folders above the config to search for a relative name: frameworks resolve it against their working directory.
 */
const FOLDERS_UP = 8;

/** `.../sft.yaml`, `/path/to/sft.yaml`: what people write for folders that they leave out. */
const LEFT_OUT = /^(?:\.{3}|…|\/?path\/to)\//;

export const withoutPlaceholder = (name: string): string => name.replace(LEFT_OUT, '');

/** The parts at the end of a path of another machine that show which file it is: its folder and name, or more. */
const TAILS = [4, 3, 2];

/**
 * Possible paths of a name: next to its file, then in each folder above. A path from the root may be that of another machine, where
 * the project lies elsewhere: the end of it is searched for, too.
 */
export function candidates(folder: string, given: string): string[] {
  const name = withoutPlaceholder(given);
  if (!isAbsolute(name)) return upwards(folder, name);
  const parts = name.split('/').slice(1);
  const tails = TAILS.filter(length => length < parts.length).map(length => parts.slice(-length).join('/'));
  return [name, ...tails.flatMap(tail => upwards(folder, tail))];
}

function upwards(folder: string, name: string): string[] {
  const found: string[] = [];
  let at = folder;
  for (let up = 0; up <= FOLDERS_UP; up++) {
    found.push(join(at, name));
    const above = dirname(at);
    if (above === at || at === '') break;
    at = above;
  }
  return found;
}
