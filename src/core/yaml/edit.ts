import { addKeys, isJsonKey, findInText } from './insert';
import type { NewKey } from './insert';
import { PYTHON } from './node';
import { setArgument } from './pythonEdit';
import type { ScalarNode, ScalarValue, YamlDocument } from './node';
import type { Found, YamlPath } from './path';
import { find, formatPath } from './path';
import { scalarText } from './scalarText';
import { setTomlKeys } from './toml/edit';
import { edit, refuse } from '../text/textEdit';
import type { EditResult } from '../text/textEdit';

/**
 * Sets one key to a scalar with the smallest possible edit: keeps comments, order, quoting, anchors, indentation,
 * line endings and the final newline. Adds a missing key after `after`, or at the end of its mapping, which is
 * created if missing. Refuses, with the reason, if a small edit would change more than the key.
 */
export function setKey(
  text: string,
  document: YamlDocument,
  path: YamlPath,
  value: ScalarValue,
  after: string | null = null,
): EditResult {
  if (document.syntax === 'toml') return setTomlKeys(text, document, [{ path, value }], after);
  const { root } = document;
  if (root?.kind === 'map' && root.tag === PYTHON) return setArgument(text, root, path, value, after);
  const found = findInText(document, path);
  const shared = sharedAbove(document, path);
  if (shared !== null) return refuse(`${formatPath(shared)} is shared through an anchor`);
  if (found && !found.entry?.merged) return replace(text, document, found, value, path);
  return addKeys(text, document, [{ path, value }], after);
}

/** Sets new keys that are `togetherIn` the same section, with one edit. */
export function setNewKeys(
  text: string,
  document: YamlDocument,
  keys: readonly NewKey[],
  after: string | null,
): EditResult {
  if (document.syntax === 'toml') return setTomlKeys(text, document, keys, after);
  const shared = keys.map(({ path }) => sharedAbove(document, path)).find(path => path !== null);
  if (shared) return refuse(`${formatPath(shared)} is shared through an anchor`);
  return addKeys(text, document, keys, after);
}

/**
 * The first mapping or list on a path whose text is shared: the value of an alias, or the target of another alias.
 * Null if the path's text is not shared.
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
  // Replaces the alias itself; its anchor keeps the value.
  if (node.kind === 'alias') return edit(node.span, scalarText(value, 'plain'));
  if (node.kind !== 'scalar') return refuse(`${formatPath(path)} holds a ${node.kind}, not a single value`);
  if (node.opaque === 'tag') return refuse(`${formatPath(path)} has a tag that only its program understands`);
  if (node.style === 'literal' || node.style === 'folded') {
    return refuse(`${formatPath(path)} is a block of text`);
  }
  if (node.anchor !== null && document.sharedAnchors.has(node.anchor)) {
    return refuse(`${formatPath(path)} is shared through the anchor &${node.anchor}`);
  }
  const scalar = entry && isJsonKey(text, entry) ? JSON.stringify(value) : scalarText(value, node.style);
  return edit(node.span, spaced(text, node, scalar));
}

/** An empty value begins right after its colon, so that a new value needs a space. */
function spaced(text: string, node: ScalarNode, scalar: string): string {
  if (node.source !== '') return scalar;
  const before = text[node.span.start - 1] ?? '';
  const behind = text[node.span.start] ?? '\n';
  return (before === ' ' ? '' : ' ') + scalar + (/[\s,}\]]/.test(behind) ? '' : ' ');
}
