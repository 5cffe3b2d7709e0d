import { ARGV } from '../../yaml/node';
import type {
  Entry,
  MapNode,
  ScalarNode,
  ScalarValue,
  YamlDocument,
  YamlFile,
  YamlNode,
} from '../../yaml/node';
import type { YamlPath } from '../../yaml/path';
import type { Layer } from '../engine/compose';
import type { Word } from './shell';

type Span = YamlNode['span'];

/** A key and its value as they stand somewhere in a file. */
export interface Setting {
  readonly path: YamlPath;
  readonly keySpan: Span;
  readonly value: YamlNode;
  readonly from: YamlPath;
  /** It is a word of a shell's text, behind which another may stand. */
  readonly inText?: boolean;
}

/** A scalar where a word stands. What is open is as unknown as a variable in YAML. */
export function scalarOf(word: Word, text = word.text, value: ScalarValue = plain(text)): ScalarNode {
  const opaque = word.open ? ('interpolation' as const) : null;
  const style = typeof value === 'string' ? 'double' : 'plain';
  return { kind: 'scalar', value, source: text, style, opaque, span: word.span, anchor: null };
}

/** Words are numbers, truths or text, as argument parsers read them. */
function plain(text: string): ScalarValue {
  if (/^[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?$/i.test(text)) return Number(text);
  if (/^(?:true|false)$/i.test(text)) return text.toLowerCase() === 'true';
  return text;
}

/** A mapping of settings; of two of one name the last wins. */
export function mapOf(settings: readonly Setting[], span: Span, tag: string | null = ARGV): MapNode {
  const entries: Entry[] = [];
  for (const setting of settings) {
    const [key, ...rest] = setting.path.map(String);
    if (key === undefined) continue;
    const at = entries.findIndex(entry => entry.key === key);
    const inner: YamlNode =
      rest.length === 0 ? setting.value : merged(entries[at]?.value, { ...setting, path: rest }, span, tag);
    const entry = { key, keySpan: setting.keySpan, value: inner, merged: false, from: setting.from };
    if (at < 0) entries.push(entry);
    else entries[at] = entry;
  }
  return { kind: 'map', entries, flow: false, tag, span, anchor: null };
}

function merged(old: YamlNode | undefined, setting: Setting, span: Span, tag: string | null): YamlNode {
  const added = mapOf([setting], span, tag);
  if (old?.kind !== 'map') return added;
  const [key] = setting.path;
  return { ...old, entries: [...old.entries.filter(entry => entry.key !== key), ...added.entries] };
}

/** A mapping as one more document of a file, so that its spans are places in the file's text. */
export function layerOf(opened: Layer, root: MapNode, mount: string | null): Layer {
  return layerOfDocument(opened, { index: 0, root, span: root.span, sharedAnchors: new Set() }, mount);
}

export function layerOfDocument(opened: Layer, document: YamlDocument, mount: string | null): Layer {
  const index = opened.yaml.documents.length;
  const yaml: YamlFile = { ...opened.yaml, documents: [...opened.yaml.documents, { ...document, index }] };
  return { path: opened.path, yaml, document: index, mount };
}
