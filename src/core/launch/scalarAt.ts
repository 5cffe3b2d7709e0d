import type { SourceFile } from '../spec/runSpec';
import { find, parsePath } from '../yaml/path';

/** The text that a key of a run's file holds; null where it is not set, or holds more than a word. */
export function scalarAt({ yaml, document, base }: SourceFile, key: string): string | null {
  const root = yaml.documents[document]?.root ?? null;
  const node = find(root, [...base, ...parsePath(key)])?.node;
  return node?.kind === 'scalar' && node.opaque === null && node.value !== null ? String(node.value) : null;
}
