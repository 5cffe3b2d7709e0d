import type { Span } from '../../../src/core/text/span';
import type { KeyEdit } from '../../../src/core/yaml/keyEdit';
import type { YamlNode } from '../../../src/core/yaml/node';
import { parseText } from '../../../src/core/yaml/file';
import { formatPath } from '../../../src/core/yaml/path';

interface Edited {
  readonly edits: readonly KeyEdit[];
}

/** Whether only the named keys differ: all other bytes and leaves of the tree are the same. */
export function bytesOutside(plan: Edited, file: string, before: string, after: string): boolean {
  const edits = ordered(plan, file);
  let at = 0;
  let moved = 0;
  for (const { span, text } of edits) {
    if (before.slice(at, span.start) !== after.slice(at + moved, span.start + moved)) return false;
    at = span.end;
    moved += text.length - (span.end - span.start);
  }
  if (before.slice(at) !== after.slice(at + moved)) return false;
  return sameLeavesBut(plan, file, before, after);
}

/** Whether undoing the edits one by one restores the exact text. */
export function restored(plan: Edited, file: string, before: string, after: string): boolean {
  // From the front: everything before an edit is already restored, so its offset is the original one.
  let text = after;
  for (const { span, text: inserted } of ordered(plan, file)) {
    text =
      text.slice(0, span.start) +
      before.slice(span.start, span.end) +
      text.slice(span.start + inserted.length);
  }
  return text === before;
}

const ordered = (plan: Edited, file: string) =>
  plan.edits
    .filter(edit => edit.file === file)
    .map(({ edit }) => edit)
    .sort((a, b) => a.span.start - b.span.start);

function sameLeavesBut(plan: Edited, file: string, before: string, after: string): boolean {
  const edits = plan.edits.filter(edit => edit.file === file);
  const named = new Set(edits.flatMap(({ path, keys = [path] }) => keys));
  // A flag's leaf is the command, or the word, that contains it.
  const holders = leavesAt(
    before,
    edits.map(({ edit: { span } }) => span),
  );
  const was = leaves(before);
  const is = leaves(after);
  const other = (path: string): boolean => !named.has(path) && !holders.has(path);
  const rest = counted([...is].filter(([path]) => other(path)));
  for (const leaf of counted([...was].filter(([path]) => other(path)))) {
    const at = rest.indexOf(leaf);
    if (at < 0) return false;
    rest.splice(at, 1);
  }
  // The rest are list items: new words of a command.
  return rest.every(leaf => edits.some(({ edit: { text } }) => text.includes(sourceOf(leaf))));
}

/** Leaves without their list indices: a new item moves later ones. */
const counted = (all: readonly (readonly [string, string])[]): string[] =>
  all.map(([path, source]) => `${path.replace(/\[\d+\]/g, '[]')}\n${source}`);

const sourceOf = (leaf: string): string => leaf.slice(leaf.indexOf('\n') + 1);

/** Paths of the scalars that contain edits. */
function leavesAt(text: string, spans: readonly Span[]): ReadonlySet<string> {
  const isHolder = ({ start, end }: Span): boolean =>
    spans.some(span => span.start >= start && span.end <= end);
  const held = new Set<string>();
  leaves(text, (path, span) => {
    if (isHolder(span)) held.add(path);
  });
  return held;
}

type Visit = (path: string, span: Span) => void;

/** Every scalar of a text by document and path, as written. */
function leaves(text: string, visit: Visit = () => undefined): Map<string, string> {
  const found = new Map<string, string>();
  const walk = (node: YamlNode | null, path: (string | number)[], prefix: string): void => {
    if (node?.kind === 'scalar') {
      found.set(prefix + formatPath(path), node.source);
      visit(prefix + formatPath(path), node.span);
    }
    if (node?.kind === 'alias') found.set(prefix + formatPath(path), `*${node.name}`);
    if (node?.kind === 'map') {
      for (const entry of node.entries) if (!entry.merged) walk(entry.value, [...path, entry.key], prefix);
    }
    if (node?.kind === 'sequence') node.items.forEach((item, i) => walk(item, [...path, i], prefix));
  };
  for (const document of parseText(text).documents) {
    walk(document.root, [], document.index === 0 ? '' : `${document.index}:`);
  }
  return found;
}
