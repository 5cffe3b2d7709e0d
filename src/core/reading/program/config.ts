import { nodeOf, scalarNode } from './nodes';
import { readProgram } from '../../python/program';
import { programOf } from '../../python/source';
import type { ProgramSource } from '../../python/source';
import type { FieldValue, Value } from '../../python/value';
import type { Entry, MapNode, ScalarNode, YamlFile, YamlNode } from '../../yaml/node';

/** A config that MMEngine loads from Python (mmengine/config/config.py, `_file2dict`): the names that its module assigns. */
export function parsePythonConfig(path: string, text: string): YamlFile {
  const empty: YamlFile = { text, documents: [], problems: [] };
  const source = programOf(path, text);
  if (!source) return empty;
  const entries = readProgram(source.text)
    .moduleValues()
    .map(field => entryOf(field, source))
    .filter(({ key, value }) => !isItself(key, value));
  const all = [...importedBases(text), ...entries];
  const span = { start: 0, end: text.length };
  const root: MapNode = { kind: 'map', entries: all, flow: false, tag: null, span, anchor: null };
  return { ...empty, documents: [{ index: 0, root, span, sharedAnchors: new Set() }] };
}

/** What only repeats the files beneath: `max_epochs = _base_.max_epochs`. */
const isItself = (key: string, value: YamlNode): boolean =>
  value.kind === 'scalar' && value.opaque !== null && value.value === `\${${key}}`;

const entryOf = ({ key, keySpan, value }: FieldValue, source: ProgramSource): Entry => ({
  key,
  keySpan: source.inFile(keySpan),
  value: configNode(value, source),
  merged: false,
  from: [key],
});

function configNode(value: Value, source: ProgramSource): YamlNode {
  const located = { span: source.inFile(value.span), anchor: null } as const;
  if (value.kind === 'fields') {
    const entries = value.fields.map(field => entryOf(field, source));
    return { kind: 'map', entries, flow: true, tag: null, ...located };
  }
  const old = oldReference(value, source);
  if (old) return old;
  if (value.kind === 'items') {
    return {
      kind: 'sequence',
      items: value.items.map(item => configNode(item, source)),
      flow: true,
      ...located,
    };
  }
  const written = source.text.slice(value.span.start, value.span.end);
  if (value.kind === 'open' || value.kind === 'class') {
    return ofConfig(written, located.span) ?? nodeOf(value, source);
  }
  // Newer configs name classes instead of their names: `type=FasterRCNN`.
  if (value.kind === 'name') {
    return scalarNode(value.name.slice(value.name.lastIndexOf('.') + 1), written, located.span);
  }
  const node = nodeOf(value, source);
  const isOld = node.kind === 'scalar' && String(node.value).includes('{{');
  return (isOld ? ofConfig(String(node.value), located.span) : null) ?? node;
}

/** `{{_base_.crop_size}}` without quotes: to Python, a set in a set. */
function oldReference(value: Value, source: ProgramSource): ScalarNode | null {
  const set = value.kind === 'items' && value.items.length === 1 ? value.items[0] : undefined;
  const inner = set?.kind === 'items' && set.items.length === 1 ? set.items[0] : undefined;
  if (inner?.kind !== 'open') return null;
  const written = source.text.slice(inner.span.start, inner.span.end);
  return written.startsWith('_base_.') ? ofConfig(written, source.inFile(value.span)) : null;
}

/**
 * `_base_.crop_size` and, in older releases, `{{_base_.crop_size}}`: a value of the files beneath. A name of the file
 * that is made of one stands for it.
 */
const OF_BASE = /^(?:\{\{ {0,4})?_base_\.([\w.]{1,80})(?: {0,4}\}\})?$|^([A-Za-z_]\w{0,80})$/;

/** A reference to a key of the whole config, as loaders of YAML write it: the file's own unknown names, and its bases'. */
function ofConfig(written: string, span: ScalarNode['span']): ScalarNode | null {
  const [, ofBase, ofFile] = OF_BASE.exec(written) ?? [];
  const key = ofBase ?? ofFile;
  if (key === undefined) return null;
  const reference = `\${${key}}`;
  return { ...scalarNode(reference, reference, span), style: 'plain', opaque: 'interpolation' };
}

/** `with read_base(): from .._base_.models.x import *` (mmengine's newer configs), as names of files. */
const IMPORTED = /^[ \t]{1,8}from[ \t]{1,4}(\.{1,8})([\w.]{1,200})[ \t]{1,4}import\b/gm;

function importedBases(text: string): readonly Entry[] {
  if (!/^with read_base\(\)/m.test(text)) return [];
  const items = [...text.matchAll(IMPORTED)].map(({ index, 0: whole, 1: dots = '', 2: name = '' }) => {
    const up = dots.length === 1 ? './' : '../'.repeat(dots.length - 1);
    const path = `${up}${name.replaceAll('.', '/')}.py`;
    return scalarNode(path, whole.trim(), { start: index, end: index + whole.length });
  });
  const [first, ...others] = items;
  if (!first) return [];
  const span = { start: first.span.start, end: (others.at(-1) ?? first).span.end };
  const value: YamlNode = { kind: 'sequence', items, flow: true, span, anchor: null };
  return [{ key: '_base_', keySpan: first.span, value, merged: false, from: ['_base_'] }];
}
