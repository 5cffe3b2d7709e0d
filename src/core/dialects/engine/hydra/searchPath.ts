import { dirname } from '../../../text/paths';
import { find, resolve } from '../../../yaml/path';
import { candidates } from '../candidates';
import type { Layer, NearbyFiles } from '../compose';

/**
 * Additional folders for a root config's groups (`hydra.searchpath`): files relative to the working directory,
 * packages by name. Ignores those that are not above the config.
 */
export async function searchPath({ path, yaml, document }: Layer, files: NearbyFiles): Promise<string[]> {
  const found = find(yaml.documents[document]?.root ?? null, ['hydra', 'searchpath']);
  const list = found && resolve(found.node);
  const names = list?.kind === 'sequence' ? list.items.flatMap(item => nameIn(resolve(item))) : [];
  const folders: string[] = [];
  for (const name of names) {
    for (const folder of candidates(dirname(path), name)) {
      if ((await files.list(folder)).length === 0) continue;
      folders.push(folder);
      break;
    }
  }
  return folders;
}

/** `file://verl/trainer/config`, `pkg://verl.trainer.config`. */
function nameIn(node: ReturnType<typeof resolve>): string[] {
  if (node?.kind !== 'scalar' || node.opaque !== null) return [];
  const [, scheme = '', name = ''] = /^(file|pkg):\/\/(.+)$/.exec(String(node.value)) ?? [];
  if (name === '') return [];
  return [scheme === 'pkg' ? name.replaceAll('.', '/') : name];
}
