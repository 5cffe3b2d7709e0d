import { dirname, isAbsolute, join } from '../../text/paths';

/** Folders above the config in which a relative name is looked for: frameworks take it from where they are started. */
const FOLDERS_UP = 8;

/** `.../sft.yaml`, `/path/to/sft.yaml`: what people write for folders that they leave out. */
const LEFT_OUT = /^(?:\.{3}|…|\/?path\/to)\//;

export const withoutPlaceholder = (name: string): string => name.replace(LEFT_OUT, '');

/** Where a name may lead: beside the file that has it, then in each folder above. */
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
