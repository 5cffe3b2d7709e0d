import { detailNames, quantityNames } from '../../spec/names';
import type { YamlPath } from '../../yaml/path';
import type { Dialect, DialectLookup, Pack } from '../dialect';
import type { TracedRun } from './trace';

/** Matches any name, or a list item, in the path of a key. */
const ANY = '*';
const ITEM = '[]';

/** Users name sections, too, and an editor runs for days. */
const MOST_KNOWN = 1000;

/** The keys of one section. */
interface Section {
  readonly path: readonly string[];
  readonly names: Set<string>;
}

/**
 * The keys that a dialect knows by name, from all its tables: rows and their conditions, help, signature, keys that
 * plans set, and listed keys of the program. Paths have the syntax of signatures.
 */
export class KeyTable {
  private readonly sections = new Map<string, Section>();
  /** The sections by the length of their paths: large files ask for thousands. */
  private readonly byDepth = new Map<number, readonly Section[]>();
  private readonly roots: readonly (readonly string[])[];
  /** Cache: the names below a path, which is usually one of few sections. */
  private readonly known = new Map<string, readonly string[]>();

  constructor(keys: Iterable<string>, roots: readonly string[] = []) {
    this.roots = [[], ...roots.map(partsOf)];
    for (const key of keys) this.add(partsOf(key));
    for (const section of this.sections.values()) {
      const { length } = section.path;
      this.byDepth.set(length, [...(this.byDepth.get(length) ?? []), section]);
    }
  }

  /** Names that may be below a path; empty if they are user-defined or unknown. */
  below(path: YamlPath): readonly string[] {
    const at = path.map(part => (typeof part === 'number' ? ITEM : part));
    const key = at.join('\n');
    const found = this.known.get(key) ?? this.namesBelow(at);
    if (this.known.size < MOST_KNOWN) this.known.set(key, found);
    return found;
  }

  private namesBelow(at: readonly string[]): readonly string[] {
    const names = new Set<string>();
    for (const root of this.roots) {
      if (!startsWith(at, root)) continue;
      const rest = at.slice(root.length);
      for (const { path: section, names: own } of this.byDepth.get(rest.length) ?? []) {
        if (!startsWith(rest, section)) continue;
        for (const name of own) names.add(name);
      }
    }
    return names.has(ANY) ? [] : [...names];
  }

  /** True for the path of a key that the dialect has, and for names below a section that users name themselves. */
  has(path: YamlPath): boolean {
    const at = path.map(part => (typeof part === 'number' ? ITEM : part));
    return this.roots.some(root => startsWith(at, root) && this.hasBelow(at.slice(root.length)));
  }

  private hasBelow(path: readonly string[]): boolean {
    const name = path.at(-1) ?? '';
    const section = path.slice(0, -1);
    return (this.byDepth.get(section.length) ?? []).some(
      ({ path: own, names }) => (names.has(name) || names.has(ANY)) && startsWith(section, own),
    );
  }

  /** All names, at any place. */
  names(): ReadonlySet<string> {
    return new Set([...this.sections.values()].flatMap(({ names }) => [...names]));
  }

  /** The sections on a key's path are known, too. */
  private add(parts: readonly string[]): void {
    if (parts.includes('**')) return;
    for (const [i, name] of parts.entries()) {
      if (name === ITEM) continue;
      const path = parts.slice(0, i);
      const section = this.sections.get(path.join('\n')) ?? { path, names: new Set<string>() };
      this.sections.set(path.join('\n'), section);
      section.names.add(name);
    }
  }
}

const startsWith = (path: readonly string[], start: readonly string[]): boolean =>
  path.length >= start.length && start.every((part, i) => part === ANY || part === path[i]);

/** `a.b[].c\.d~^x$` in parts; omits the value pattern of a signature. */
function partsOf(key: string): readonly string[] {
  const [path = ''] = key.split('~');
  return path.split(/(?<!\\)\./).flatMap(part => {
    const items = /(?<!\])(?:\[\d*\])+$/.exec(part)?.[0] ?? '';
    const name = part.slice(0, part.length - items.length);
    const own = name === '' ? [] : [name.replaceAll('\\.', '.')];
    return [...own, ...Array<string>(items === '' ? 0 : items.split('[').length - 1).fill(ITEM)];
  });
}

/** The key tables of dialects; each is built on first use. */
class KeyTables {
  private readonly known = new WeakMap<Dialect, KeyTable>();

  of(dialect: Dialect, lookup: DialectLookup): KeyTable {
    const table = this.known.get(dialect) ?? new KeyTable(keysOf(dialect, lookup), dialect.roots);
    this.known.set(dialect, table);
    return table;
  }
}

export const keyTables = new KeyTables();

function keysOf(dialect: Dialect, lookup: DialectLookup): readonly string[] {
  const { signature, quantities, packs = [], keysOf: others = [] } = dialect;
  return [
    ...(['strong', 'medium', 'weak', 'needs'] as const).flatMap(kind => signature[kind] ?? []),
    ...keysOfRows(quantities),
    ...keysOfParts(dialect),
    ...(dialect.keys?.() ?? []),
    ...others.flatMap(other => lookup(other)?.keys?.() ?? []),
    ...packs.flatMap(pack => [...keysOfRows(pack.quantities ?? {}), ...Object.keys(pack.help ?? {})]),
  ];
}

const keysOfRows = (rows: Dialect['quantities'] | NonNullable<Pack['quantities']>): readonly string[] =>
  Object.values(rows).flatMap(row => (typeof row === 'object' ? [...row.keys, ...(row.near ?? [])] : []));

function keysOfParts(dialect: Dialect): readonly string[] {
  const { detailKeys = {}, help = {}, references = [], evidence = [], launch = [], classKeys = [] } = dialect;
  return [
    ...Object.values(detailKeys).flatMap(({ keys, near = [] }) => [...keys, ...near]),
    ...Object.keys(help),
    ...references.map(({ key }) => key),
    ...evidence.flatMap(({ keys }) => keys),
    ...launch.flatMap(({ keys = [], writes = [] }) => [...keys, ...writes]),
    ...classKeys,
  ];
}

/** The keys that a dialect's rules read in this run, which tables do not have. */
export function keysReadByRules(run: TracedRun): KeyTable {
  for (const name of quantityNames) run.get(name);
  for (const name of detailNames) run.detail(name);
  run.ownModel();
  return new KeyTable(run.traces?.keys() ?? [], run.dialect.roots);
}
