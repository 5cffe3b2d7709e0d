import type { YamlDocument } from '../yaml/node';
import { resolve } from '../yaml/path';
import { sniffKeys } from '../yaml/sniff';
import type { Dialect } from './dialect';
import { dialects as all } from './registry';
import { bestScore, score, signatureKeys } from './engine/signature';
import type { Signature } from './engine/signature';
import { strangers } from './engine/strangers';

/** What a document can turn out to be: a dialect of ours, or null for a framework that is only known by its keys. */
interface Candidate {
  readonly dialect: Dialect | null;
  readonly signature: Signature;
  readonly roots: readonly string[];
}

/** The dialect of a document: the one whose keys it has most clearly. Null for a stranger, and when two tie. */
export function recognise(document: YamlDocument, dialects: readonly Dialect[] = all): Dialect | null {
  const root = document.root && resolve(document.root);
  if (root?.kind !== 'map') return null;
  const scored = (dialects === all ? allCandidates : candidates(dialects))
    .map(({ dialect, signature, roots }) => ({ dialect, signature, points: score(signature, roots, root) }))
    .filter(({ signature, points }) => points >= signature.least && signature.accepts?.(root) !== false)
    .sort((a, b) => b.points - a.points);
  const [first, second] = scored;
  return first && first.points !== second?.points ? first.dialect : null;
}

function candidates(dialects: readonly Dialect[]): readonly Candidate[] {
  const ours = dialects.map(dialect => ({
    dialect,
    signature: dialect.signature,
    roots: dialect.roots ?? [],
  }));
  const others = strangers
    .filter(({ id }) => !dialects.some(dialect => dialect.id === id))
    .map(({ signature }) => ({ dialect: null, signature, roots: [] }));
  return [...ours, ...others];
}

const allCandidates = candidates(all);

const wanted: ReadonlySet<string> = new Set(all.flatMap(dialect => signatureKeys(dialect.signature)));

/**
 * A scan of the text's keys, without parsing: false when no dialect can reach its least score with them. It may say
 * yes to a stranger, never no to a config of ours.
 */
export function couldBeOurs(text: string): boolean {
  const seen = sniffKeys(text, wanted);
  return all.some(
    ({ signature }) =>
      bestScore(signature, seen) >= signature.least && signature.mentions?.test(text) !== false,
  );
}
