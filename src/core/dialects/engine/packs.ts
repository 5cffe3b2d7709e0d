import type { Dialect, KeyHelp, Pack } from '../dialect';
import type { Layers } from './layers';
import type { Signature } from './signature';

/** A pack whose project a config belongs to. */
export interface ShownPack {
  readonly pack: Pack;
  /**
   * The class that identifies it, and the key that names the class; null: identified by one of the project's keys.
   */
  readonly shownBy: { readonly key: string; readonly name: string } | null;
}

/** The packs of a dialect whose evidence the files of a run contain. */
export function shownPacks({ packs = [], classKeys = [] }: Dialect, layers: Layers): readonly ShownPack[] {
  return packs.flatMap(pack => {
    const { modules = [], classKeys: own = [], keys = [] } = pack.evidence;
    const shownBy = modules.length > 0 ? classOf(modules, [...own, ...classKeys], layers) : null;
    const isShown = shownBy !== null || keys.some(key => layers.find(key) !== null);
    return isShown ? [{ pack, shownBy }] : [];
  });
}

/** The first of these keys that names a class of these modules. */
function classOf(
  modules: readonly string[],
  classKeys: readonly string[],
  layers: Layers,
): ShownPack['shownBy'] {
  for (const key of classKeys) {
    const name = classAt(layers, key);
    if (name !== null && modules.some(one => isOf(one, name))) return { key, name };
  }
  return null;
}

function classAt(layers: Layers, key: string): string | null {
  const node = layers.find(key)?.node;
  return node?.kind === 'scalar' && node.opaque === null && typeof node.value === 'string'
    ? node.value
    : null;
}

/** True if a class is in a module, or has its name in configs that omit modules. */
const isOf = (module: string, name: string): boolean => name === module || name.startsWith(`${module}.`);

/** The help of a general dialect's keys, and of the packs that extend it. */
export const helpWith = (
  general: Readonly<Record<string, KeyHelp>>,
  packs: readonly Pack[],
): Readonly<Record<string, KeyHelp>> =>
  Object.assign({}, general, ...packs.map(pack => pack.help)) as typeof general;

/** The signature of a general dialect including the keys of the packs that extend it. */
export function signatureWith(general: Signature, packs: readonly Pack[]): Signature {
  const added = (kind: 'strong' | 'medium' | 'weak' | 'needs'): readonly string[] =>
    packs.flatMap(({ signature }) => signature?.[kind] ?? []);
  return {
    ...general,
    strong: [...general.strong, ...added('strong')],
    medium: [...general.medium, ...added('medium')],
    weak: [...general.weak, ...added('weak')],
    ...(general.needs && { needs: [...general.needs, ...added('needs')] }),
  };
}
