import type { MapNode, YamlNode } from '../../yaml/node';
import { patternFrom } from '../../spec/filePattern';
import type { Pattern } from '../../spec/filePattern';
import { resolve } from '../../yaml/path';

/**
 * How keys identify a dialect. Paths as `a.b`; `a[].b` is a key of any list item, `a.*` a non-empty mapping and
 * `*.a` a key of any entry, `**.a` a key at any depth, `a\.b` one key with a dot, `a~^x|y$` a key whose value
 * matches the regular expression. A path counts once, wherever it is found below the root or one of the dialect's
 * sections.
 */
export interface Signature {
  /** +4 each: almost unique to this dialect. */
  readonly strong: readonly string[];
  /** +2 each. */
  readonly medium: readonly string[];
  /** +1 each: shared by many; they only add up. */
  readonly weak: readonly string[];
  /** −4 each, for dialects of the workspace; built-in dialects are weighed against each other instead. */
  readonly against: readonly string[];
  /** A file with one of these keys cannot be of this dialect. */
  readonly never?: readonly string[];
  /** The general dialect whose keys these files also have: it is decided first, by the keys of all its members. */
  readonly family?: string;
  /** At least one of these must be present; without it the file does not describe a run. */
  readonly needs?: readonly string[];
  readonly least: number;
  /** Every text of this dialect contains this; it excludes most files of a common form with a quick scan. */
  readonly mentions?: string;
  /** The final check of a document with the right keys, for keys that are common and whose values decide. */
  readonly accepts?: (root: MapNode) => boolean;
}

/** The score of each kind of key. */
export const WEIGHTS = { strong: 4, medium: 2, weak: 1, against: -4 } as const;

/** The keys of a dialect that a document has. */
export interface Evidence {
  /** The score of each path in favor of the dialect. */
  readonly paths: ReadonlyMap<string, number>;
  /** The total, minus what speaks against it; negative if a required key is missing. */
  readonly points: number;
}

/** The keys of a signature that a document has. */
export function evidence(signature: Signature, roots: readonly string[], root: MapNode): Evidence {
  const present = presence(roots, root);
  const paths = new Map<string, number>();
  const { speaking, against, needs, never } = signatureParts(signature);
  let points = 0;
  for (const { path, weight, parts } of speaking) {
    if (!present(parts)) continue;
    paths.set(path, weight);
    points += weight;
  }
  const cannot = needs?.some(present) === false || never?.some(present) === true;
  return { paths, points: cannot ? -1 : points + WEIGHTS.against * against.filter(present).length };
}

/** A signature with its paths taken apart. */
interface SignatureParts {
  readonly speaking: readonly {
    readonly path: string;
    readonly weight: number;
    readonly parts: Parts;
  }[];
  readonly against: readonly Parts[];
  readonly needs: readonly Parts[] | undefined;
  readonly never: readonly Parts[] | undefined;
}

const partsCache = new WeakMap<Signature, SignatureParts>();

/** Signatures are weighed with every document: each is taken apart once. */
function signatureParts(signature: Signature): SignatureParts {
  const before = partsCache.get(signature);
  if (before) return before;
  const parts = {
    speaking: (['strong', 'medium', 'weak'] as const).flatMap(kind =>
      signature[kind].map(path => ({ path, weight: WEIGHTS[kind], parts: partsOf(path) })),
    ),
    against: signature.against.map(partsOf),
    needs: signature.needs?.map(partsOf),
    never: signature.never?.map(partsOf),
  };
  partsCache.set(signature, parts);
  return parts;
}

/** The score of a document; negative if a required key is missing. */
export const score = (signature: Signature, roots: readonly string[], root: MapNode): number =>
  evidence(signature, roots, root).points;

function presence(roots: readonly string[], root: MapNode): (path: Parts) => boolean {
  const sections = [keysOf(root)];
  for (const section of roots) for (const node of children(root, section)) sections.push(keysOf(node));
  return ({ first, rest, value }) => {
    if (first === '**') return rest.some(key => allKeys(root).has(key));
    if (first === '*') return leads(children(root, first), rest, value);
    // For most paths, a document does not even have the first key.
    if (!sections.some(keys => keys.has(first))) return false;
    return leads(valuesOf(first, sections), rest, value);
  };
}

/** The rest of a path leads somewhere, to such a value where one is asked for. */
function leads(firsts: readonly YamlNode[], rest: readonly string[], value: Pattern | null): boolean {
  const found = rest.length === 0 ? firsts : nodesAt(firsts, rest);
  return value === null ? found.length > 0 : found.some(node => holds(node, value));
}

function valuesOf(key: string, sections: readonly ReadonlyMap<string, YamlNode>[]): readonly YamlNode[] {
  const values: YamlNode[] = [];
  for (const keys of sections) {
    const value = keys.get(key);
    if (value !== undefined) values.push(value);
  }
  return values;
}

/**
 * The highest possible score of a text whose keys are all among `seen`: assumes that keys against it are absent,
 * and that path keys are in the right places.
 */
export function bestScore(signature: Signature, seen: ReadonlySet<string>): number {
  const possible = (path: string): boolean => scannedKeys(path).every(key => seen.has(key));
  return signature.needs?.some(possible) === false ? -1 : total({ ...signature, against: [] }, possible);
}

/** True if a text contains the dialect's `mentions`, given as `/words/flags`. */
export function mentions({ mentions: pattern }: Pick<Signature, 'mentions'>, text: string): boolean {
  if (pattern === undefined) return true;
  const [, source = '', flags = ''] = /^\/(.*)\/([a-z]*)$/s.exec(pattern) ?? [];
  return patternFrom(source, flags).test(text);
}

/** Every key that can identify the dialect. */
export function signatureKeys({ strong, medium, weak, needs = [] }: Signature): string[] {
  return [...strong, ...medium, ...weak, ...needs].flatMap(scannedKeys);
}

/** The first key of each path in favor of a dialect, with its score; null: it may begin anywhere. */
export function firstKeys(signature: Signature): (readonly [key: string | null, weight: number])[] {
  return (['strong', 'medium', 'weak'] as const).flatMap(kind =>
    signature[kind].map(path => {
      const first = firstOf(path);
      return [isAnyKey(first) ? null : first, WEIGHTS[kind]] as const;
    }),
  );
}

/** A fast path: most paths are plain, and startup has two thousand. */
function firstOf(path: string): string {
  const end = path.search(/[.~[\\]/);
  if (end < 0) return path;
  return path[end] === '.' ? path.slice(0, end) : partsOf(path).first;
}

/** The keys of a path as the scan sees them: the last word of a key with a space (Hydra's `override /data`). */
export const scannedKeys = (path: string): readonly string[] =>
  stepsOf(path)
    .filter(key => !isAnyKey(key))
    .map(key => key.slice(key.lastIndexOf(' ') + 1));

function total(signature: Signature, present: (path: string) => boolean): number {
  const sum = (kind: keyof typeof WEIGHTS): number => WEIGHTS[kind] * signature[kind].filter(present).length;
  return sum('strong') + sum('medium') + sum('weak') + sum('against');
}

/** A parsed path of a signature. */
interface Parts {
  readonly first: string;
  readonly rest: readonly string[];
  /** The required format of the value; null: any. */
  readonly value: Pattern | null;
}

const known = new Map<string, Parts>();

/** `a[].b~^x` → a, [], b and ^x. Cached: signatures have few paths that are tested on every document. */
function partsOf(path: string): Parts {
  const before = known.get(path);
  if (before) return before;
  const [keys = '', ...value] = path.split('~');
  // A fast path: most keys contain no dot, and startup parses two thousand paths.
  const names = keys.includes('\\')
    ? keys.split(/(?<!\\)\./).map(part => part.replaceAll('\\', ''))
    : keys.split('.');
  const [first = '', ...rest] = names.flatMap(part =>
    part.endsWith('[]') ? [part.slice(0, -2), '[]'] : [part],
  );
  const parts = {
    first,
    rest,
    value: value.length > 0 ? patternFrom(value.join('~')) : null,
  };
  known.set(path, parts);
  return parts;
}

const stepsOf = (path: string): readonly string[] => [partsOf(path).first, ...partsOf(path).rest];

const isAnyKey = (step: string): boolean => step === '[]' || step === '*' || step === '**';

function holds(node: YamlNode, value: Pattern): boolean {
  const at = resolve(node);
  return at?.kind === 'scalar' && value.test(typeof at.value === 'string' ? at.value : at.source);
}

const indexes = new WeakMap<YamlNode, ReadonlyMap<string, YamlNode>>();

/** The values of a mapping by key; empty for other nodes. */
function keysOf(node: YamlNode): ReadonlyMap<string, YamlNode> {
  const before = indexes.get(node);
  if (before) return before;
  const at = resolve(node);
  const index = new Map(at?.kind === 'map' ? at.entries.map(({ key, value }) => [key, value]) : []);
  indexes.set(node, index);
  return index;
}

const everyKey = new WeakMap<YamlNode, ReadonlySet<string>>();

/** All keys of a tree; skips repeated aliases. */
function allKeys(root: YamlNode): ReadonlySet<string> {
  const before = everyKey.get(root);
  if (before) return before;
  const keys = new Set<string>();
  const waiting: YamlNode[] = [root];
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    if (node.kind === 'sequence') waiting.push(...node.items);
    if (node.kind !== 'map') continue;
    for (const { key, value } of node.entries) {
      keys.add(key);
      waiting.push(value);
    }
  }
  everyKey.set(root, keys);
  return keys;
}

/** All nodes at a path. */
function nodesAt(from: readonly YamlNode[], path: readonly string[]): readonly YamlNode[] {
  let nodes = from;
  for (const step of path) {
    if (nodes.length === 0) break;
    const [only, second] = nodes;
    // The usual case.
    nodes = only && !second ? children(only, step) : nodes.flatMap(node => children(node, step));
  }
  return nodes;
}

function children(node: YamlNode, step: string): readonly YamlNode[] {
  const at = resolve(node);
  if (at?.kind === 'sequence') return step === '[]' ? at.items : [];
  if (at?.kind !== 'map') return [];
  if (step === '*') return at.entries.map(({ value }) => value);
  const value = keysOf(at).get(step);
  return value ? [value] : [];
}
