import { ARGV, ARGV_TEXT } from '../../yaml/node';
import type { ScalarNode, ScalarValue, YamlNode } from '../../yaml/node';
import type { Layer } from '../engine/compose';
import { layerOf, mapOf } from '../engine/settings';
import type { Setting } from '../engine/settings';
import type { Word } from './shell';

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
