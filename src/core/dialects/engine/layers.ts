import { LineIndex } from '../../text/span';
import type { Location } from '../../spec/quantity';
import type { SourceFile } from '../../spec/runSpec';
import type { ScalarNode, ScalarValue, YamlFile, YamlNode } from '../../yaml/node';
import { computed } from './arithmetic';
import type { Loader } from '../../yaml/scalars';
import { entryOf, find, formatPath, parsePath, resolve } from '../../yaml/path';
import type { Found, YamlPath } from '../../yaml/path';
import { ownOf } from '../../yaml/tables';

export type ResolvedNode = Exclude<YamlNode, { kind: 'alias' }>;

/** A key that a run's files state. */
export interface Hit {
  readonly node: ResolvedNode;
  readonly at: Location;
  /** `at.path` in parts. */
  readonly path: YamlPath;
  readonly source: SourceFile;
  /** The full key, from the root of the composed config. */
  readonly key: string;
  /** The reference `${a.b}` that led here, if the key only points to another. */
  readonly through: Location | null;
}

/**
 * Only `${a.b}`: OmegaConf's reference to another key of the same config. Leading dots are relative to the key:
 * `${.a}` is next to it, `${..a}` next to its section.
 */
const REFERENCE = /^\$\{(\.*)([\w[\]-][\w.[\]-]*)\}$/;

/** The syntax of other loaders: `!ref <a[b]>` of HyperPyYAML. */
const REFERENCES: Readonly<Partial<Record<Loader, RegExp>>> = {
  omegaconf: REFERENCE,
  hyperpyyaml: /^(?:!ref\s+)?<()([\w.[\]-]+)>$/,
};

/** The same inside of other text. */
const IN_TEXT: Readonly<
  Partial<Record<Loader, { readonly as: ScalarNode['opaque']; readonly each: RegExp }>>
> = {
  omegaconf: { as: 'interpolation', each: /\$\{(\.*)([\w[\]-][\w.[\]-]{0,199})\}/g },
  hyperpyyaml: { as: 'tag', each: /<()([\w.[\]-]{1,200})>/g },
};

const MOST_HOPS = 8;

/**
 * The merged files of one run: the config and its overlays. A key is looked up as it is, then in each section that
 * may hold the dialect's keys; overlays win.
 */
export class Layers {
  private readonly topmostFirst: readonly SourceFile[];
  /** Cache: dialects and rules look up the same keys repeatedly. */
  private readonly known = new Map<string, Hit | null>();
  private values: readonly Hit[] | null = null;

  constructor(
    sources: readonly SourceFile[],
    private readonly roots: readonly string[] = [],
    private readonly loader: Loader = 'pyyaml',
  ) {
    const isBeneath = ({ via }: SourceFile): boolean => via.kind === 'beneath';
    const above = sources.filter(source => !isBeneath(source));
    this.topmostFirst = [...above.toReversed(), ...sources.filter(isBeneath).toReversed()];
  }

  /** The place of a key, or null. Follows the loader's references to the value. */
  find(key: string): Hit | null {
    let hit = this.known.get(key);
    if (hit === undefined) {
      hit = this.search(key);
      this.known.set(key, hit);
    }
    return hit;
  }

  /**
   * True if a key refers to the same node in both, without references, or is missing in both. Nodes are immutable.
   */
  agreeWith(other: Layers, key: string): boolean {
    const [one, two] = [this.find(key), other.find(key)];
    if (one === null || two === null) return one === two;
    const isDirect = one.through === null && two.through === null;
    return isDirect && one.node === two.node && one.key === two.key && one.source.path === two.source.path;
  }

  /** Keys at the root of the topmost file. */
  topKeys(): readonly string[] {
    const [top] = this.topmostFirst;
    const root = top?.yaml.documents[top.document]?.root;
    const at = root ? resolve(root) : null;
    return at?.kind === 'map' ? at.entries.map(({ key }) => key) : [];
  }

  /** Every value of the composed config, sections without: what a reference points to is the value of the key that has it. */
  leaves(): readonly Hit[] {
    this.values ??= this.collected();
    return this.values;
  }

  private collected(): readonly Hit[] {
    const keys = new Set<string>();
    for (const { yaml, document, base, via } of this.topmostFirst) {
      const root = find(yaml.documents[document]?.root ?? null, base)?.node ?? null;
      collect(root, 'mount' in via ? parsed(via.mount) : [], keys);
    }
    return [...keys].flatMap(key => {
      const hit = this.find(key);
      if (hit === null || hit.node.kind === 'map') return [];
      return [hit.key === key ? hit : { ...hit, at: hit.at, key }];
    });
  }

  private search(key: string): Hit | null {
    const hit = this.anywhere(key);
    return hit && Object.hasOwn(REFERENCES, this.loader) ? this.follow(hit, MOST_HOPS) : hit;
  }

  /** The possible full forms of a key, most likely first. */
  fullKeys(key: string): readonly string[] {
    return [key, ...this.roots.map(root => `${root}.${key}`)];
  }

  private findExact(key: string): Hit | null {
    const path = parsed(key);
    for (const source of this.topmostFirst) {
      const below = 'mount' in source.via ? unmounted(path, parsed(source.via.mount)) : path;
      const hit = below && hitIn(source, source.base.length > 0 ? [...source.base, ...below] : below, key);
      if (hit) return hit;
      if (below && covers(source, below)) return null;
    }
    return null;
  }

  /** A whole config may be in a section (`parameters:`), which its references are relative to. */
  private anywhere(key: string): Hit | null {
    for (const full of this.fullKeys(key)) {
      const hit = this.findExact(full);
      if (hit) return hit;
    }
    return null;
  }

  /** A file of a Hydra group is in its folder's package: `${peft.name}` is `name` of a file in `conf/peft`. */
  private target(pointsTo: string, { path }: SourceFile): Hit | null {
    const [first, ...rest] = parsed(pointsTo);
    const folders = path.split('/').slice(0, -1);
    const isPackage = rest.length > 0 && typeof first === 'string' && folders.includes(first);
    return this.anywhere(pointsTo) ?? (isPackage ? this.anywhere(formatPath(rest)) : null);
  }

  private follow(hit: Hit, hops: number): Hit {
    const { node } = hit;
    const refers = node.kind === 'scalar' && node.opaque !== null ? unquoted(node) : '';
    const found = ownOf(REFERENCES, this.loader)?.exec(refers) ?? null;
    const pointsTo = found && absolute(hit.key, found[1] ?? '', found[2] ?? '');
    const target = pointsTo !== null && hops > 0 ? this.target(pointsTo, hit.source) : null;
    if (target) {
      const followed = this.follow(target, hops - 1);
      return { ...followed, at: followed.at, through: hit.through ?? hit.at };
    }
    return found === null ? this.reckoned(this.inText(hit, hops), hops) : hit;
  }

  /**
   * `!ref facebook/<name>` of HyperPyYAML, `${user}/${name}` of OmegaConf: text with values in it. What is left of numbers alone
   * is arithmetic.
   */
  private inText(hit: Hit, hops: number): Hit {
    const { node, source } = hit;
    const references = ownOf(IN_TEXT, this.loader);
    if (!references || node.kind !== 'scalar' || node.opaque !== references.as || hops === 0) return hit;
    const text = unquoted(node).replace(/^!ref\s+/, '');
    const found: ScalarValue[] = [];
    const value = text.replaceAll(references.each, (_, dots: string, name: string) => {
      const target = this.target(absolute(hit.key, dots, name), source);
      const at = target && this.follow(target, hops - 1).node;
      const one = at?.kind === 'scalar' && at.opaque === null ? at.value : null;
      found.push(one);
      return String(one);
    });
    const isOpen = found.length === 0 || found.includes(null) || value.includes('${');
    if (isOpen || /^[\d\s.e*/+()-]+$/.test(value)) return hit;
    const plain = { ...node, value, source: value, style: 'plain', opaque: null } as const;
    return { ...hit, at: hit.at, node: plain, key: text, through: hit.through ?? hit.at };
  }

  /** Evaluates an interpolation that is arithmetic on other keys' numbers. */
  private reckoned(hit: Hit, hops: number): Hit {
    const { node, key } = hit;
    if (node.kind !== 'scalar' || node.opaque !== 'interpolation' || hops === 0) return hit;
    const text = unquoted(node);
    const value = computed(text, reference => {
      const [, dots = '', name = ''] = REFERENCE.exec(`\${${reference}}`) ?? [];
      const target = this.target(absolute(key, dots, name), hit.source);
      const at = target && this.follow(target, hops - 1).node;
      return at?.kind === 'scalar' && typeof at.value === 'number' ? at.value : null;
    });
    if (value === null) return hit;
    const plain = { ...node, value, source: String(value), style: 'plain', opaque: null } as const;
    return { ...hit, at: hit.at, node: plain, key: text.slice(2, -1), through: hit.through ?? hit.at };
  }
}

/** Quotes around an interpolation have no effect. */
const unquoted = ({ source, value }: ScalarNode): string => (typeof value === 'string' ? value : source);

function absolute(key: string, dots: string, name: string): string {
  if (dots === '') return name;
  return formatPath([...parsed(key).slice(0, -dots.length), ...parsed(name)]);
}

/** Configs have hundreds of values; what has more is none. */
const MOST_LEAVES = 3000;
const DEEPEST = 10;

/** The keys of the values below a node, in the order of the file. What an alias repeats stands somewhere else already. */
function collect(node: YamlNode | null, path: YamlPath, keys: Set<string>): void {
  if (node?.kind !== 'map' || path.length > DEEPEST) return;
  for (const { key, value } of node.entries) {
    if (keys.size >= MOST_LEAVES) return;
    if (value.kind === 'map') collect(value, [...path, key], keys);
    else if (resolve(value)?.kind !== 'map') keys.add(formatPath([...path, key]));
  }
}

/**
 * True if a file has a scalar or a list in place of a section on the path of a key, which replaces the layers
 * below.
 */
function covers({ yaml, document, base }: SourceFile, path: YamlPath): boolean {
  let at = yaml.documents[document]?.root ?? null;
  const whole = base.length > 0 ? [...base, ...path] : path;
  for (let depth = 0; depth < whole.length; depth++) {
    const node = at && resolve(at);
    if (!node) return false;
    if (node.kind !== 'map') return depth > 0;
    const part = whole[depth];
    at = typeof part === 'string' ? (entryOf(node, part)?.value ?? null) : null;
  }
  return false;
}

function hitIn(source: SourceFile, path: YamlPath, key: string): Hit | null {
  const found = find(source.yaml.documents[source.document]?.root ?? null, path);
  const node = found && resolve(found.node);
  if (!node) return null;
  return new FoundHit(node, path, source, key, found);
}

/** A class, because an object literal with a getter gets a hidden class of its own, and each look at it is slow. */
class FoundHit implements Hit {
  readonly through = null;

  constructor(
    readonly node: ResolvedNode,
    readonly path: YamlPath,
    readonly source: SourceFile,
    readonly key: string,
    private readonly found: Found,
  ) {}

  /** Lazy: most hits are only asked for their value. */
  get at(): Location {
    return locationOf(this.source, this.path, this.found);
  }
}

/** The place of a key in one file. */
export function placeOfKey(
  { path, yaml, document }: { readonly path: string; readonly yaml: YamlFile; readonly document: number },
  key: YamlPath,
): Location | null {
  const found = find(yaml.documents[document]?.root ?? null, key);
  return found && locationOf({ path, yaml }, key, found);
}

function locationOf(
  source: Pick<SourceFile, 'path' | 'yaml'>,
  path: YamlPath,
  { entry, node }: Found,
): Location {
  const keySpan = entry?.keySpan ?? node.span;
  const { line } = lineIndexOf(source.yaml).placeOf(keySpan.start);
  return { file: source.path, path: formatPath(entry?.from ?? path), keySpan, valueSpan: node.span, line };
}

/** The rest of a path below a mount; null if it is outside. */
function unmounted(path: YamlPath, mount: YamlPath): YamlPath | null {
  return mount.every((part, i) => path[i] === part) ? path.slice(mount.length) : null;
}

const paths = new Map<string, YamlPath>();

/** Cache: tables have few keys that are looked up often. */
function parsed(key: string): YamlPath {
  const known = paths.get(key);
  if (known) return known;
  const path = parsePath(key);
  paths.set(key, path);
  return path;
}

const lineIndexes = new WeakMap<YamlFile, LineIndex>();

/** Lines of a file's text; cached. */
export function lineIndexOf(yaml: YamlFile): LineIndex {
  const known = lineIndexes.get(yaml);
  if (known) return known;
  const index = new LineIndex(yaml.text);
  lineIndexes.set(yaml, index);
  return index;
}
