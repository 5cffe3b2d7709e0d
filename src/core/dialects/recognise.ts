import type { MapNode, YamlDocument } from '../yaml/node';
import { resolve } from '../yaml/path';
import type { Dialect } from './dialect';
import { dialects as all } from './registry';
import { evidence, firstKeys } from './engine/signature';
import type { Evidence, Signature } from './engine/signature';

/** A possible dialect of a document. */
interface Candidate {
  readonly dialect: Dialect;
  readonly signature: Signature;
  readonly roots: readonly string[];
}

/** The dialect that matches a document's keys best. Null if there is none, or if two tie. */
export function recognize(document: YamlDocument, dialects: readonly Dialect[] = all): Dialect | null {
  return recognition(document, dialects).dialect;
}

/**
 * The result of matching a document's keys. `contested`: it has a framework's keys, but no dialect matches best.
 */
interface Recognition {
  readonly dialect: Dialect | null;
  readonly contested: boolean;
}

const NO_MATCH: Recognition = { dialect: null, contested: false };

export function recognition(document: YamlDocument, dialects: readonly Dialect[] = all): Recognition {
  const root = document.root && resolve(document.root);
  if (root?.kind !== 'map') return NO_MATCH;
  const scores = dialects === all ? allCandidates : new CandidateScores(candidates(dialects));
  const [first, second] = scores.reaching(scores.found(scores.among(root), root));
  const dialect = first && !isTie(first, second) ? first.dialect : null;
  return { dialect, contested: first !== undefined && dialect === null };
}

/** The match of a dialect with a document. */
export interface Standing {
  readonly dialect: Dialect;
  /** The score of its own keys, which decides whether it can take the document. */
  readonly points: number;
  /** False if the document cannot be of the dialect: its score is too low, or a required key is missing. */
  readonly reaches: boolean;
  /** The general dialect of its family; itself if there is no family. */
  readonly family: string;
  /** The evidence for its family: a key that three families have counts a third in each. */
  readonly weight: number;
  /** The evidence for it within its family: keys that the general dialect does not have. */
  readonly own: number;
}

/** True if two dialects match equally. */
export const isTie = (one: Standing, other: Standing | undefined): boolean =>
  one.weight === other?.weight && (one.family !== other.family || one.own === other.own);

/** All dialects with some keys in a document: first those that can take it, best match first. */
export function standings(document: YamlDocument): readonly Standing[] {
  const root = document.root && resolve(document.root);
  return root?.kind === 'map' ? allCandidates.ranked(candidates(all), root) : [];
}

function candidates(dialects: readonly Dialect[]): readonly Candidate[] {
  return dialects.map(dialect => ({ dialect, signature: dialect.signature, roots: dialect.roots ?? [] }));
}

/** A candidate with its keys in a document. */
type Found = Candidate & Evidence & Pick<Standing, 'reaches'>;

/** To win over its general dialect, a member needs more than one strong key of its own. */
const LEAST_OF_ONES_OWN = 5;

/** If it also has all keys that the general dialect has in the document, two own keys of any weight are enough. */
const LEAST_OF_TWO = 2;

const familyOf = ({ dialect, signature }: Candidate): string => signature.family ?? dialect.id;

const speaking = ({ strong, medium, weak }: Signature): readonly string[] => [...strong, ...medium, ...weak];

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

/**
 * Indexes candidates by the first keys of their paths, to score only those of a hundred that can reach their
 * minimum.
 */
class CandidateScores {
  /** The most that a first key can add, by candidate. */
  private readonly weights = new Map<string, (readonly [candidate: number, weight: number])[]>();
  /** The most that a candidate can have without any first key: from paths that begin anywhere. */
  private readonly free: number[];
  /** Sections that may hold keys instead of the root. */
  private readonly sections: ReadonlySet<string>;

  /** Cache: the number of families with each path. */
  private readonly families = new Map<string, number>();
  /** Cache: the paths of each family's general dialect. */
  private readonly general = new Map<string, ReadonlySet<string>>();

  constructor(private readonly candidates: readonly Candidate[]) {
    this.free = candidates.map(() => 0);
    this.sections = new Set(candidates.flatMap(({ roots }) => roots));
    candidates.forEach(({ signature }, index) => {
      for (const [key, weight] of firstKeys(signature)) {
        const weights = key === null ? null : this.weights.get(key);
        if (key === null) this.free[index] = (this.free[index] ?? 0) + weight;
        else if (weights) weights.push([index, weight]);
        else this.weights.set(key, [[index, weight]]);
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

  /** Weighs families against each other, then the members of each. */
  ranked(some: readonly Candidate[], root: MapNode): readonly Standing[] {
    const found = this.found(some, root);
    const others = found
      .filter(({ reaches, paths }) => !reaches && paths.size > 0)
      .map(one => ({ ...one, family: familyOf(one), weight: 0, own: 0 }));
    return [...this.reaching(found), ...others.sort((a, b) => b.points - a.points)];
  }

  /** The evidence for each candidate. */
  found(some: readonly Candidate[], root: MapNode): readonly Found[] {
    return some.map(({ dialect, signature, roots }) => {
      const { paths, points } = evidence(signature, roots, root);
      const reaches = points >= signature.least && signature.accepts?.(root) !== false;
      return { dialect, signature, roots, paths, points, reaches };
    });
  }

  /** The candidates with enough evidence, best first. */
  reaching(found: readonly Found[]): readonly Standing[] {
    const families = new Map<string, Found[]>();
    for (const one of found.filter(({ reaches }) => reaches)) {
      families.set(familyOf(one), [...(families.get(familyOf(one)) ?? []), one]);
    }
    const reaching = [...families].flatMap(([family, members]) => this.weighed(family, members));
    return reaching.sort((a, b) => b.weight - a.weight || b.own - a.own);
  }

  /**
   * The members of a family with its evidence; the general dialect yields to members with enough keys of their own.
   */
  private weighed(family: string, members: readonly Found[]): readonly Standing[] {
    const pooled = new Map<string, number>();
    for (const { paths } of members) {
      for (const [path, weight] of paths) pooled.set(path, Math.max(weight, pooled.get(path) ?? 0));
    }
    const weight = sum([...pooled].map(([path, most]) => most / this.familiesWith(path)));
    const known = this.generalPaths(family);
    const special = members.filter(({ dialect }) => dialect.id !== family);
    const general = members.find(({ dialect }) => dialect.id === family);
    const ownOf = ({ paths }: Found) => [...paths].filter(([path]) => !known.has(path));
    // If a member has every key that the general dialect has, more shared keys do not change the result.
    const covers = (one: Found): boolean =>
      ownOf(one).length >= 2 && [...(general?.paths.keys() ?? [])].every(path => one.paths.has(path));
    return members.map(member => {
      const own = ownOf(member);
      const points = sum(
        own.map(([path, most]) => most / special.filter(({ paths }) => paths.has(path)).length),
      );
      if (member === general) {
        const least = special.some(covers) ? LEAST_OF_TWO : LEAST_OF_ONES_OWN;
        return { ...member, family, weight, own: least - 0.5 };
      }
      const isEnough = general === undefined || points >= LEAST_OF_ONES_OWN || covers(member);
      return { ...member, family, weight, own: isEnough ? points : 0 };
    });
  }

  private familiesWith(path: string): number {
    const before = this.families.get(path);
    if (before !== undefined) return before;
    const having = this.candidates.filter(({ signature: { strong, medium, weak } }) =>
      [strong, medium, weak].some(paths => paths.includes(path)),
    );
    const families = new Set(having.map(familyOf)).size;
    this.families.set(path, families);
    return families;
  }

  private generalPaths(family: string): ReadonlySet<string> {
    const before = this.general.get(family);
    if (before) return before;
    const general = this.candidates.find(({ dialect }) => dialect.id === family);
    const paths = new Set(general && speaking(general.signature));
    this.general.set(family, paths);
    return paths;
  }

  /** Keys of the root and of its sections, without duplicates. */
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

const allCandidates = new CandidateScores(candidates(all));
