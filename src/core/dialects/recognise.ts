import type { MapNode, YamlDocument } from '../yaml/node';
import { resolve } from '../yaml/path';
import type { Dialect } from './dialect';
import { dialects as all } from './registry';
import { firstKeys, score } from './engine/signature';
import type { Signature } from './engine/signature';

/** What a document can turn out to be. */
interface Candidate {
  readonly dialect: Dialect;
  readonly signature: Signature;
  readonly roots: readonly string[];
}

/** The dialect of a document: the one whose keys it has most clearly. Null for a stranger, and when two tie. */
export function recognise(document: YamlDocument, dialects: readonly Dialect[] = all): Dialect | null {
  return recognition(document, dialects).dialect;
}

/** What a document’s keys say. `contested`: a framework’s keys are there, without one dialect that has them most clearly. */
interface Recognition {
  readonly dialect: Dialect | null;
  readonly contested: boolean;
}

const nobody: Recognition = { dialect: null, contested: false };

export function recognition(document: YamlDocument, dialects: readonly Dialect[] = all): Recognition {
  const root = document.root && resolve(document.root);
  if (root?.kind !== 'map') return nobody;
  const ballot = dialects === all ? allCandidates : new Ballot(candidates(dialects));
  const [first, second] = scored(ballot.among(root), root).filter(({ reaches }) => reaches);
  const dialect = first && first.points !== second?.points ? first.dialect : null;
  return { dialect, contested: first !== undefined && dialect === null };
}

/** How a dialect stands with a document. */
export interface Standing {
  readonly dialect: Dialect;
  readonly points: number;
  /** False where the document cannot be of the dialect: too few of its keys, or what has to be there is not. */
  readonly reaches: boolean;
}

/** Every dialect of which a document has some keys, the clearest first. */
export function standings(document: YamlDocument): readonly Standing[] {
  const root = document.root && resolve(document.root);
  return root?.kind === 'map' ? scored(candidates(all), root).filter(({ points }) => points > 0) : [];
}

const scored = (among: readonly Candidate[], root: MapNode): readonly Standing[] =>
  among
    .map(({ dialect, signature, roots }) => {
      const points = score(signature, roots, root);
      return { dialect, points, reaches: points >= signature.least && signature.accepts?.(root) !== false };
    })
    .sort((a, b) => b.points - a.points);

function candidates(dialects: readonly Dialect[]): readonly Candidate[] {
  return dialects.map(dialect => ({ dialect, signature: dialect.signature, roots: dialect.roots ?? [] }));
}

/** Candidates by the first keys of their paths: of a hundred only those are scored that the keys at hand can bring far enough. */
class Ballot {
  /** What a first key can add, by candidate. */
  private readonly weights = new Map<string, (readonly [candidate: number, weight: number])[]>();
  /** What a candidate may have without any first key: paths that begin anywhere. */
  private readonly free: number[];
  /** Sections in which keys may stand instead of the root. */
  private readonly sections: ReadonlySet<string>;

  constructor(private readonly candidates: readonly Candidate[]) {
    this.free = candidates.map(() => 0);
    this.sections = new Set(candidates.flatMap(({ roots }) => roots));
    candidates.forEach(({ signature }, index) => {
      for (const [key, weight] of firstKeys(signature)) {
        if (key === null) this.free[index] = (this.free[index] ?? 0) + weight;
        else this.weights.set(key, [...(this.weights.get(key) ?? []), [index, weight]]);
      }
    });
  }

  among(root: MapNode): readonly Candidate[] {
    const most = [...this.free];
    for (const key of this.keysIn(root)) {
      for (const [index, weight] of this.weights.get(key) ?? []) most[index] = (most[index] ?? 0) + weight;
    }
    return this.candidates.filter(({ signature }, index) => (most[index] ?? 0) >= signature.least);
  }

  /** Keys of the root and of its sections, each once. */
  private keysIn(root: MapNode): ReadonlySet<string> {
    const keys = new Set<string>();
    for (const { key, value } of root.entries) {
      keys.add(key);
      const section = this.sections.has(key) ? resolve(value) : null;
      if (section?.kind === 'map') for (const entry of section.entries) keys.add(entry.key);
    }
    return keys;
  }
}

const allCandidates = new Ballot(candidates(all));
