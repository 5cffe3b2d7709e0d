import type { Quantity } from '../../spec/quantity';
import { LineIndex } from '../../text/span';
import type { Entry, MapNode, YamlFile, YamlNode } from '../../yaml/node';
import { find, formatPath, resolve } from '../../yaml/path';
import type { YamlPath } from '../../yaml/path';
import type { Layer } from '../engine/compose';

/** Entries of a mapping; empty for other nodes. */
export function entriesOf(node: YamlNode | null | undefined): readonly Entry[] {
  const at = node ? resolve(node) : null;
  return at?.kind === 'map' ? at.entries : [];
}

export function itemsOf(node: YamlNode | null | undefined): readonly YamlNode[] {
  const at = node ? resolve(node) : null;
  return at?.kind === 'sequence' ? at.items : [];
}

/** The node at a path below a node. */
export function nodeAt(node: YamlNode | null | undefined, ...path: YamlPath): YamlNode | null {
  const found = node ? find(node, path) : null;
  return found ? resolve(found.node) : null;
}

/** A scalar's text; null if it is not a scalar or not known yet. */
export function textAt(node: YamlNode | null | undefined, ...path: YamlPath): string | null {
  const at = nodeAt(node, ...path);
  return at?.kind === 'scalar' && at.opaque === null && at.value !== null ? String(at.value) : null;
}

export const rootOf = ({ yaml, document }: Layer): MapNode | null => {
  const root = yaml.documents[document]?.root;
  const at = root ? resolve(root) : null;
  return at?.kind === 'map' ? at : null;
};

/** A value that an envelope states at a path. */
export function statedAt<T>(opened: Layer, path: YamlPath, value: T): Quantity<T> {
  const root = rootOf(opened);
  const found = root ? find(root, path) : null;
  if (!found) return derivedFrom(path, value, formatPath(path));
  const keySpan = found.entry?.keySpan ?? found.node.span;
  const { line } = linesOf(opened.yaml).placeOf(keySpan.start);
  const at = { file: opened.path, path: formatPath(path), keySpan, valueSpan: found.node.span, line };
  return { value, origin: { kind: 'file', at }, ...(typeof value === 'number' && { unit: 'GPUs' as const }) };
}

export const derivedFrom = <T>(path: YamlPath, value: T, formula: string): Quantity<T> => ({
  value,
  origin: { kind: 'derived', from: [formatPath(path)], formula },
});

export const unknown = (why: string): Quantity<never> => ({
  value: null,
  origin: { kind: 'unresolved', why },
});

const lines = new WeakMap<YamlFile, LineIndex>();

function linesOf(yaml: YamlFile): LineIndex {
  const known = lines.get(yaml) ?? new LineIndex(yaml.text);
  lines.set(yaml, known);
  return known;
}

/** CUDA devices; estimates support no others. */
export const CUDA: Quantity<string> = {
  value: 'cuda',
  origin: { kind: 'code', source: 'NVIDIA GPUs are asked for' },
};

/** Names of the resource; ai-dynamo/dynamo's operator calls it `gpu`. */
const LIMITS: readonly YamlPath[] = ['limits', 'requests'].flatMap(part =>
  ['nvidia.com/gpu', 'gpu'].map(name => ['resources', part, name]),
);

/** The GPUs of the nearest `resources` of a chart's values; null: none are stated. */
export function gpuLimit(
  around: readonly { readonly node: YamlNode; readonly path: YamlPath }[],
  opened: Layer,
): Quantity<number> | null {
  for (const { node, path } of around) {
    for (const limit of LIMITS) {
      const count = Number(textAt(node, ...limit) ?? Number.NaN);
      if (Number.isInteger(count) && count > 0) return statedAt(opened, [...path, ...limit], count);
    }
  }
  return null;
}
