import { dirname, isAbsolute, join } from '../../text/paths';

/**
 * Folders above the config to search for a relative name: frameworks resolve it against their working directory.
 */
const FOLDERS_UP = 8;

/** `.../sft.yaml`, `/path/to/sft.yaml`: what people write for folders that they leave out. */
const LEFT_OUT = /^(?:\.{3}|…|\/?path\/to)\//;

export const withoutPlaceholder = (name: string): string => name.replace(LEFT_OUT, '');

/** Possible paths of a name: next to its file, then in each folder above. */
export function candidates(folder: string, given: string): string[] {
  const name = withoutPlaceholder(given);
  if (isAbsolute(name)) return [name];
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
