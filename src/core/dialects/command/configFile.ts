import { dirname, isAbsolute, join } from '../../text/paths';
import { withoutPlaceholder } from '../engine/candidates';
import type { YamlFile } from '../../yaml/node';
import type { Layer, NearbyFiles } from '../engine/compose';

const FOLDERS_UP = 8;

/** A file that a command names: looked up next to the envelope, then in each folder above. */
export async function configAt(given: string, nearPath: string, files: NearbyFiles): Promise<Layer | null> {
  const name = withoutPlaceholder(given);
  if (name === '') return null;
  let folder = dirname(nearPath);
  for (let up = 0; up <= FOLDERS_UP; up++) {
    const path = isAbsolute(name) ? name : join(folder, name);
    const yaml: YamlFile | null = await files.read(path);
    if (yaml?.documents[0]?.root) return { path, yaml, document: 0, mount: null };
    const above = dirname(folder);
    if (isAbsolute(name) || above === folder || folder === '') break;
    folder = above;
  }
  return null;
}
