import { ARGV, ARGV_TEXT } from '../../yaml/node';
import type { ScalarNode, ScalarValue, YamlNode } from '../../yaml/node';
import type { Span } from '../../text/span';
import type { Composition, Layer, Setting } from '../engine/compose';
import { rootOf } from './nodes';
import { layerOf, mapOf } from '../engine/settings';
import type { Word } from './word';

/** A word as a scalar. An open word is unknown, like a variable in YAML. */
export function scalarOf(word: Word, text = word.text, value: ScalarValue = scalarOfWord(text)): ScalarNode {
  const opaque = word.open ? ('interpolation' as const) : null;
  const style = typeof value === 'string' ? 'double' : 'plain';
  return { kind: 'scalar', value, source: text, style, opaque, span: word.span, anchor: null };
}

/** Words are numbers, booleans or text, as argument parsers read them. */
function scalarOfWord(text: string): ScalarValue {
  if (/^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?$/i.test(text)) return Number(text);
  if (/^(?:true|false)$/i.test(text)) return text.toLowerCase() === 'true';
  return text;
}

/** A command's settings as a document of its file. */
export function argvLayer(opened: Layer, settings: readonly Setting[], mount: string | null, at = 0): Layer {
  const start = Math.min(...settings.map(({ keySpan }) => keySpan.start));
  const span = Number.isFinite(start) ? { start, end: start } : { start: at, end: at };
  const isText = settings.length > 0 && settings.every(({ inText }) => inText);
  return layerOf(opened, mapOf(settings, span, isText ? ARGV_TEXT : ARGV), mount);
}

/** A run that another file defines begins at this place of a file, too. */
export function seenFrom(opened: Layer, run: Composition, start: number): Composition {
  const isSeen = [...run.layers, ...(run.beneath ?? [])].some(({ path }) => path === opened.path);
  return isSeen ? run : { ...run, beneath: [argvLayer(opened, [], '', start), ...(run.beneath ?? [])] };
}

/** A word's text; '' if it is not a plain word or unknown. */
export const wordOf = (value: YamlNode): string =>
  value.kind === 'scalar' && value.opaque === null ? String(value.value) : '';

/** A run whose words at these places are known, and not changed there: they are computed. */
export function withFixed(run: Composition, fixed: readonly Span[]): Composition {
  if (fixed.length === 0) return run;
  const [layer, ...over] = run.layers;
  return { ...run, layers: [fixedIn(layer, fixed), ...over.map(one => fixedIn(one, fixed))] };
}

function fixedIn(layer: Layer, fixed: readonly Span[]): Layer {
  const root = rootOf(layer);
  if (!root) return layer;
  const entries = root.entries.map(entry =>
    fixed.some(one => contains(one, entry.value.span)) ? { ...entry, merged: true } : entry,
  );
  return layerOf(layer, { ...root, entries }, layer.mount);
}

const contains = (outer: Span, inner: Span): boolean => outer.start <= inner.start && inner.end <= outer.end;
