import { dirname, join } from '../../../text/paths';
import { joined } from '../bases';
import type { Gap, Layer, NearbyFiles } from '../compose';
import { placeOfKey } from '../layers';
import { addNote } from '../note';
import type { Note } from '../note';
import { searchPath } from './searchPath';
import { defaultsOf, isGlobalPackage, packageHeader } from './defaultsList';
import type { DefaultsEntry } from './defaultsList';

/** Options by group that win over those in the files: `experiment` → `example`. */
type Choices = ReadonlyMap<string, string>;

/** The composed files, in reading order: later ones win. */
export interface Composed {
  readonly layers: readonly Layer[];
  readonly gaps: readonly Gap[];
  readonly notes: readonly Note[];
}

/** A file in the tree: its group, and the package of its keys. */
interface Placed {
  readonly layer: Layer;
  readonly group: string;
  readonly package: string;
}

/** Limit of files per composition; real trees have a few dozen. */
const MOST_FILES = 200;
/** An override may choose a file that overrides again. */
const MOST_ROUNDS = 4;

/**
 * Composes a config with the files in its `defaults` list below `root`, as Hydra 1.3 does
 * (hydra/_internal/defaults_list.py, config_loader_impl.py). `first` keeps its package.
 */
export async function composeTree(
  first: Placed,
  root: string,
  files: NearbyFiles,
  choices: Choices,
  added: readonly { readonly group: string; readonly option: string }[] = [],
): Promise<Composed> {
  let overrides: Choices = choices;
  const roots = [root, ...(await searchPath(first.layer, files))];
  for (let round = 1; ; round++) {
    const walk = new Walk(roots, files, overrides);
    await walk.config(first, [first.layer.path]);
    for (const { group, option } of added) await walk.option(first, asEntry(group, option), option, []);
    // External choices win over a file's overrides.
    const next = new Map([...walk.overridden, ...choices]);
    if (round === MOST_ROUNDS || sameChoices(next, overrides)) return walk;
    overrides = next;
  }
}

const asEntry = (group: string, option: string): DefaultsEntry => ({
  index: 0,
  isSelf: false,
  group: `/${group}`,
  options: [option],
  package: null,
  overrides: false,
  optional: true,
});

const sameChoices = (a: Choices, b: Choices): boolean =>
  a.size === b.size && [...a].every(([group, option]) => b.get(group) === option);

/** One walk of the tree with the overrides known so far. */
class Walk implements Composed {
  readonly layers: Layer[] = [];
  readonly gaps: Gap[] = [];
  readonly notes: Note[] = [];
  readonly overridden = new Map<string, string>();
  private readonly chosen = new Map<string, string>();

  constructor(
    private readonly roots: readonly string[],
    private readonly files: NearbyFiles,
    private readonly overrides: Choices,
  ) {}

  async config(at: Placed, chain: readonly string[]): Promise<void> {
    const entries = defaultsOf(at.layer);
    let own = false;
    for (const entry of entries) {
      if (entry.isSelf) {
        this.layers.push(at.layer);
        own = true;
      } else await this.entry(at, entry, chain);
    }
    // Without `_self_`, a config's own keys come last (Hydra 1.1 and later).
    if (!own) this.layers.push(at.layer);
  }

  private async entry(at: Placed, entry: DefaultsEntry, chain: readonly string[]): Promise<void> {
    const group = groupOf(at, entry);
    if (group.startsWith('hydra')) return;
    const [option] = entry.options;
    if (entry.overrides) {
      if (option !== undefined && !this.overridden.has(group)) this.overridden.set(group, option);
      return;
    }
    const override = entry.group === '' ? undefined : this.overrides.get(group);
    const options = override === undefined ? entry.options : [override];
    for (const name of options) await this.option(at, entry, name, chain);
  }

  /** One option of a group, or a config without a group. */
  async option(at: Placed, entry: DefaultsEntry, option: string, chain: readonly string[]): Promise<void> {
    const group = groupOf(at, entry);
    const name = option.replace(/\$\{([\w/.]+)\}/g, (text, other: string) => this.chosen.get(other) ?? text);
    this.chosen.set(group, name);
    const inGroup = entry.group === '' ? withoutGroup(at, name) : { group, name };
    const mount = packageOf(at, entry, inGroup.group, null);
    if (name === '???' || name.includes('${')) {
      this.gap(
        at,
        entry,
        mount,
        `${group || 'A default'} is ${name}: it is chosen only when the run is started.`,
      );
      return;
    }
    const found = await this.find(inGroup);
    if (found === null) {
      const file = joinedPath(inGroup.group, inGroup.name);
      const why = `defaults name ${file}, which is not among these files.`;
      if (!entry.optional) this.gap(at, entry, mount, why, file);
      return;
    }
    if (chain.includes(found.path)) {
      this.circle(at, entry, name);
      return;
    }
    if (this.layers.length >= MOST_FILES) return;
    const place = packageOf(at, entry, inGroup.group, packageHeader(found));
    const placed = { layer: { ...found, mount: place }, group: inGroup.group, package: place };
    await this.config(placed, [...chain, found.path]);
  }

  private async find({ group, name }: { group: string; name: string }): Promise<Layer | null> {
    for (const root of this.roots) {
      for (const ending of ['.yaml', '.yml']) {
        const path = join(root, `${joinedPath(group, name)}${ending}`);
        const yaml = await this.files.read(path);
        if (yaml?.documents[0]?.root) return { path, yaml, document: 0, mount: null };
      }
    }
    return null;
  }

  private gap({ layer }: Placed, entry: DefaultsEntry, mount: string, why: string, file?: string): void {
    const at = placeOfKey(layer, ['defaults', entry.index]) ?? placeOfKey(layer, ['defaults']);
    // A gap at the root would make everything unknown; the keys of a file without a package could be anywhere.
    if (at && mount !== '') this.gaps.push({ mount, key: 'defaults', at, why, ...(file && { file }) });
  }

  private circle({ layer }: Placed, entry: DefaultsEntry, name: string): void {
    const at = placeOfKey(layer, ['defaults', entry.index]);
    const message = `defaults name ${name}, which is composed of this file itself: reading never ends.`;
    if (at) addNote(this.notes, { code: 'circular-files', at, message });
  }
}

const joinedPath = (group: string, name: string): string => (group === '' ? name : `${group}/${name}`);

/** The group of an entry, from the root of all groups. */
function groupOf(at: Placed, { group }: DefaultsEntry): string {
  if (group.startsWith('/')) return group.slice(1);
  return group === '' ? at.group : join(at.group, group);
}

/** A config without a group is next to the one that names it, or at a path from the root. */
function withoutGroup(at: Placed, name: string): { group: string; name: string } {
  const path = name.startsWith('/') ? name.slice(1) : join(at.group, name);
  const group = dirname(path);
  return { group, name: group === '' ? path : path.slice(group.length + 1) };
}

/** The package of an option: from its entry, else its own header, else its group below its parent's package. */
function packageOf(at: Placed, entry: DefaultsEntry, group: string, header: string | null): string {
  const usual = entry.group === '' && !isAbsolute(entry) ? '' : relativeTo(entry, group).replaceAll('/', '.');
  const declared = entry.package ?? header;
  if (declared === null || declared === '_group_') return joined(at.package, usual);
  if (declared === '_here_') return at.package;
  if (isGlobalPackage(declared)) return '';
  if (declared.startsWith('_global_.')) return declared.slice('_global_.'.length);
  return joined(at.package, declared.replace('_group_', usual));
}

const isAbsolute = ({ options: [name = ''] }: DefaultsEntry): boolean => name.startsWith('/');

const relativeTo = ({ group }: DefaultsEntry, full: string): string =>
  group === '' || group.startsWith('/') ? full : group;
