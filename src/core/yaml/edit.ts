import { addKeys, isJsonKey, findInText } from './insert';
import type { NewKey } from './insert';
import type { ScalarNode, ScalarValue, YamlDocument } from './node';
import type { Found, YamlPath } from './path';
import { find, formatPath } from './path';
import { scalarText } from './scalarText';
import { edit, refuse } from '../text/textEdit';
import type { EditResult } from '../text/textEdit';

/**
 * Sets one key to a scalar with the smallest edit that does it: comments, order, quoting, anchors, indentation,
 * line endings and the final newline stay. A key that is not there is added after `after` (or at the end of its
 * mapping, which is created when missing). Refuses, with the reason, where a small edit would change more than
 * the key that was named.
 */
export function setKey(
  text: string,
  document: YamlDocument,
  path: YamlPath,
  value: ScalarValue,
  after: string | null = null,
): EditResult {
  const found = findInText(document, path);
  const shared = sharedAbove(document, path);
  if (shared !== null) return refuse(`${formatPath(shared)} is shared through an anchor`);
  if (found && !found.entry?.merged) return replace(text, document, found, value, path);
  return addKeys(text, document, [{ path, value }], after);
}

/** Sets keys that are `togetherIn` the same, with one edit: they are all new. */
export function setNewKeys(
  text: string,
  document: YamlDocument,
  keys: readonly NewKey[],
  after: string | null,
): EditResult {
  const shared = keys.map(({ path }) => sharedAbove(document, path)).find(path => path !== null);
  if (shared) return refuse(`${formatPath(shared)} is shared through an anchor`);
  return addKeys(text, document, keys, after);
}

/**
 * The first mapping or list on the way to a path whose text several places share: what an alias stands for, or what
 * an alias elsewhere points to. Null when the path's text is its own.
 */
function sharedAbove(document: YamlDocument, path: YamlPath): YamlPath | null {
  for (let depth = 0; depth < path.length; depth++) {
    const found = find(document.root, path.slice(0, depth));
    if (!found) return null;
    const { node, entry } = found;
    const pointedTo = node.anchor !== null && document.sharedAnchors.has(node.anchor);
    if (node.kind === 'alias' || pointedTo || entry?.merged === true) return path.slice(0, depth);
  }
  return null;
}

function replace(
  text: string,
  document: YamlDocument,
  { node, entry }: Found,
  value: ScalarValue,
  path: YamlPath,
): EditResult {
  // An alias is replaced where it stands; the anchor it points to keeps its value.
  if (node.kind === 'alias') return edit(node.span, scalarText(value, 'plain'));
  if (node.kind !== 'scalar') return refuse(`${formatPath(path)} holds a ${node.kind}, not a single value`);
  if (node.opaque === 'tag') return refuse(`${formatPath(path)} has a tag that only its program understands`);
  if (node.style === 'literal' || node.style === 'folded') {
    return refuse(`${formatPath(path)} is a block of text`);
  }
  if (node.anchor !== null && document.sharedAnchors.has(node.anchor)) {
    return refuse(`${formatPath(path)} is shared through the anchor &${node.anchor}`);
  }
  const said = entry && isJsonKey(text, entry) ? JSON.stringify(value) : scalarText(value, node.style);
  return edit(node.span, spaced(text, node, said));
}

/** An empty value begins right after its colon: it needs the space that a value has. */
function spaced(text: string, node: ScalarNode, said: string): string {
  if (node.source !== '') return said;
  const before = text[node.span.start - 1] ?? '';
  const behind = text[node.span.start] ?? '\n';
  return (before === ' ' ? '' : ' ') + said + (/[\s,}\]]/.test(behind) ? '' : ' ');
}
