import { ARGV, ARGV_TEXT } from '../../yaml/node';
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
  const map = (entries: readonly Entry[]): MapNode => ({
    kind: 'map',
    entries,
    flow: false,
    tag,
    span,
    anchor: null,
  });
  const placed = (entries: readonly Entry[], setting: Setting): readonly Entry[] => {
    const [key, ...rest] = setting.path.map(String);
    if (key === undefined) return entries;
    const old = entries.find(entry => entry.key === key);
    const inner = old?.value.kind === 'map' ? old.value.entries : [];
    const value = rest.length === 0 ? setting.value : map(placed(inner, { ...setting, path: rest }));
    const fresh = { key, keySpan: setting.keySpan, value, merged: false, from: setting.from };
    return old ? entries.map(entry => (entry === old ? fresh : entry)) : [...entries, fresh];
  };
  return map(settings.reduce(placed, []));
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

/** What is said in words of a command, as a document of the file that has them. */
export function argvLayer(opened: Layer, settings: readonly Setting[], mount: string | null, at = 0): Layer {
  const start = Math.min(...settings.map(({ keySpan }) => keySpan.start));
  const span = Number.isFinite(start) ? { start, end: start } : { start: at, end: at };
  const isText = settings.length > 0 && settings.every(({ inText }) => inText);
  return layerOf(opened, mapOf(settings, span, isText ? ARGV_TEXT : ARGV), mount);
}

/** A word's text; '' where something else than a plain word stands, or what it is is not known. */
export const wordOf = (value: YamlNode): string =>
  value.kind === 'scalar' && value.opaque === null ? String(value.value) : '';
