import type { YamlNode } from '../yaml/node';
import { parsePath, resolve } from '../yaml/path';
import type { YamlPath } from '../yaml/path';

/**
 * How a dialect is told by its keys. Paths as `a.b`; `a[].b` is a key of any item of a list. A path counts once,
 * wherever it is found below the root or one of the dialect's sections.
 */
export interface Signature {
  /** +4 each: hardly anyone else has this key. */
  readonly strong: readonly string[];
  /** +2 each. */
  readonly medium: readonly string[];
  /** +1 each: shared by many; they only add up. */
  readonly weak: readonly string[];
  /** −4 each: keys of neighbours that are easily taken for this dialect. */
  readonly against: readonly string[];
  /** One of these has to be there at all: without it the file is about something else than a run. */
  readonly needs?: readonly string[];
  readonly least: number;
}

const WEIGHTS = { strong: 4, medium: 2, weak: 1, against: -4 } as const;

/** The score of a document; below nought when a key that has to be there is not. */
export function score(signature: Signature, roots: readonly string[], root: YamlNode): number {
  const sections = [root, ...roots.flatMap(section => nodesAt(root, parsePath(section)))];
  const present = (path: string): boolean =>
    sections.some(section => nodesAt(section, steps(path)).length > 0);
  return signature.needs?.some(present) === false ? -1 : total(signature, present);
}

/**
 * The highest score a text can have whose keys are all among `seen`: keys that speak against are taken as absent,
 * and keys of a path as standing where they should.
 */
export function bestScore(signature: Signature, seen: ReadonlySet<string>): number {
  return total({ ...signature, against: [] }, path =>
    steps(path).every(key => key === '[]' || seen.has(String(key))),
  );
}

/** Every key that a signature counts for the dialect. */
export function signatureKeys(signature: Signature): string[] {
  return [...signature.strong, ...signature.medium, ...signature.weak]
    .flatMap(path => steps(path).map(String))
    .filter(key => key !== '[]');
}

function total(signature: Signature, present: (path: string) => boolean): number {
  const sum = (kind: keyof typeof WEIGHTS): number => WEIGHTS[kind] * signature[kind].filter(present).length;
  return sum('strong') + sum('medium') + sum('weak') + sum('against');
}

/** `a[].b` → a, [], b. */
function steps(path: string): YamlPath {
  return path.split('.').flatMap(part => (part.endsWith('[]') ? [part.slice(0, -2), '[]'] : [part]));
}

function nodesAt(root: YamlNode, path: YamlPath): YamlNode[] {
  let nodes: YamlNode[] = [root];
  for (const step of path) {
    nodes = nodes.flatMap(node => children(node, step));
    if (nodes.length === 0) break;
  }
  return nodes;
}

function children(node: YamlNode, step: string | number): YamlNode[] {
  const at = resolve(node);
  if (at?.kind === 'sequence') return step === '[]' ? [...at.items] : [];
  if (at?.kind !== 'map') return [];
  const entry = at.entries.find(candidate => candidate.key === step);
  return entry ? [entry.value] : [];
}
