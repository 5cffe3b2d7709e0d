import type { Pattern } from '../../spec/filePattern';
import { basename, dirname } from '../../text/paths';
import { find, parsePath, resolve } from '../../yaml/path';
import type { YamlPath } from '../../yaml/path';
import { candidates } from './candidates';
import type { Composer, Composition, Gap, Layer, NearbyFiles } from './compose';
import { placeOfKey } from './layers';
import { addNote } from './note';
import type { Note } from './note';

/** Limit of base files per config: real chains have four, and lists at most a dozen. */
const MOST_BASES = 64;

/** How a framework lets a config inherit from others. */
interface Bases {
  /**
   * Keys that name the bases, with a path or a list of paths: `_BASE_`. `DATA_CONFIG._BASE_` applies to that
   * section only.
   */
  readonly keys: readonly string[];
  /** Names without a file: catalogs, URLs. */
  readonly ignores?: Pattern;
  /** What the framework has under a name that is no file; null: nothing. */
  readonly shipped?: (name: string) => Layer | null;
}

/**
 * Composes a config with its base files, recursively: later bases win over earlier ones, and the file that names
 * them wins over all. A name is looked up next to its file, then in each folder above. A missing file makes its
 * possible keys unknown and is noted, as is a file that includes itself.
 */
export function withBases(bases: Bases): Composer {
  return async (opened, files) => {
    const search = new BaseSearch(bases, files);
    await search.below({ ...opened, mount: '' }, [opened.path]);
    const { found: beneath, gaps, notes } = search;
    const composition: Composition = {
      name: '',
      layers: [{ ...opened, mount: null }],
      beneath,
      gaps,
      notes,
    };
    return [composition];
  };
}

/** One walk through a config's bases; results are in reading order, lowest first. */
class BaseSearch {
  readonly found: Layer[] = [];
  readonly gaps: Gap[] = [];
  readonly notes: Note[] = [];

  constructor(
    private readonly bases: Bases,
    private readonly files: NearbyFiles,
  ) {}

  async below(layer: Layer, chain: readonly string[]): Promise<void> {
    for (const key of this.bases.keys) {
      const path = parsePath(key);
      for (const name of namesAt(layer, path)) {
        if (this.bases.ignores?.test(name)) continue;
        await this.base(layer, { key, path, name }, chain);
      }
    }
  }

  private async base(layer: Layer, named: Named, chain: readonly string[]): Promise<void> {
    const at = placeOfKey(layer, named.path);
    if (at === null || this.found.length >= MOST_BASES) return;
    // What `defaults: {model: small.yaml}` lists is about the model.
    const section = named.path[0] === 'defaults' ? named.path.slice(1) : named.path.slice(0, -1);
    const mount = joined(layer.mount ?? '', section.join('.'));
    for (const path of candidates(dirname(layer.path), named.name).flatMap(withEnding)) {
      if (chain.includes(path)) {
        const message = `${at.path} names ${named.name}, which lies on this file itself: reading never ends.`;
        addNote(this.notes, { code: 'circular-files', at, message });
        return;
      }
      const yaml = await this.files.read(path);
      if (!yaml?.documents[0]?.root) continue;
      const base: Layer = { path, yaml, document: 0, mount };
      await this.below(base, [...chain, path]);
      this.found.push(base);
      return;
    }
    const shipped = this.bases.shipped?.(named.name);
    if (shipped) {
      this.found.push({ ...shipped, mount });
      return;
    }
    const why = `${at.path} names ${named.name}, not found next to ${basename(layer.path)} or above.`;
    this.gaps.push({ mount, key: named.key, at, why });
    addNote(this.notes, { code: 'missing-file', at, message: why });
  }
}

/** A name without an ending is that of a YAML file, too: `extends: ../base`. */
const withEnding = (path: string): readonly string[] =>
  basename(path).includes('.') ? [path] : [path, `${path}.yaml`, `${path}.yml`];

interface Named {
  readonly key: string;
  readonly path: YamlPath;
  readonly name: string;
}

export const joined = (...parts: readonly string[]): string => parts.filter(part => part !== '').join('.');

/** The word or list of words at a key. */
function namesAt({ yaml, document }: Layer, path: YamlPath): readonly string[] {
  const found = find(yaml.documents[document]?.root ?? null, path);
  const node = found && resolve(found.node);
  const items = node?.kind === 'sequence' ? node.items : node ? [node] : [];
  return items.flatMap(item => {
    const at = resolve(item);
    const text = at?.kind === 'scalar' && at.opaque === null ? at.value : null;
    return typeof text === 'string' && text !== '' ? [text] : [];
  });
}
