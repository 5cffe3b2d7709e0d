import { dirname, isAbsolute, join } from '../../text/paths';

/** Folders above the config in which a relative name is looked for: frameworks take it from where they are started. */
const FOLDERS_UP = 8;

/** Where a name may lead: beside the file that has it, then in each folder above. */
export function candidates(folder: string, name: string): string[] {
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
