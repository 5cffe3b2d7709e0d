import type { YamlDocument } from '../yaml/node';
import { resolve } from '../yaml/path';
import { sniffKeys } from '../yaml/sniff';
import type { Dialect } from './dialect';
import { dialects as all } from './registry';
import { bestScore, score, signatureKeys } from './signature';

/** The dialect of a document: the one whose keys it has most clearly. Null for a stranger, and when two tie. */
export function recognise(document: YamlDocument, dialects: readonly Dialect[] = all): Dialect | null {
  const root = document.root && resolve(document.root);
  if (root?.kind !== 'map') return null;
  const scored = dialects
    .map(dialect => ({ dialect, points: score(dialect.signature, dialect.roots ?? [], root) }))
    .filter(({ dialect, points }) => points >= dialect.signature.least)
    .sort((a, b) => b.points - a.points);
  const [first, second] = scored;
  return first && first.points !== second?.points ? first.dialect : null;
}

const wanted: ReadonlySet<string> = new Set(all.flatMap(dialect => signatureKeys(dialect.signature)));

/**
 * A scan of the text's keys, without parsing: false when no dialect can reach its least score with them. It may say
 * yes to a stranger, never no to a config of ours.
 */
export function couldBeOurs(text: string): boolean {
  const seen = sniffKeys(text, wanted);
  return all.some(({ signature }) => bestScore(signature, seen) >= signature.least);
}
