import { edit, refuse } from '../text/textEdit';
import type { EditResult } from '../text/textEdit';
import type { CallPlace, CallPlaces, Entry, MapNode, ScalarValue } from './node';
import { isGrafted } from './insert';
import { formatPath } from './path';
import type { YamlPath } from './path';

/**
 * Sets an argument of a Python call: replaces its value, or adds it behind the last argument of its call, in the
 * call's style. In a notebook the text stays valid JSON. Refuses if the program has no call that takes it.
 */
export function setArgument(
  text: string,
  map: MapNode,
  path: YamlPath,
  value: ScalarValue,
  after: string | null,
): EditResult {
  const name = formatPath(path);
  const { places } = map;
  const old = map.entries.find(entry => entry.key === String(path[0]) && !entry.merged && !isGrafted(entry));
  if (!places || (path.length > 1 && !old)) return refuse(`${name} has no argument of its own`);
  if (old) return replaced(text, old, path, value, places);
  const place = placeFor(map, places, name, after);
  if (!place) return refuse(`no call of this program takes ${name}`);
  const argument = `${place.names[name] ?? name.replaceAll('-', '_')}${place.sign}${valueText(value, place.quote)}`;
  const added = `${place.before}${argument}${place.after}`;
  const at = { start: place.at, end: place.at };
  return edit(at, places.isJson ? inJson(text, place.at, added) : added);
}

function replaced(
  text: string,
  entry: Entry,
  path: YamlPath,
  value: ScalarValue,
  { isJson }: CallPlaces,
): EditResult {
  const node = path
    .slice(1)
    .reduce<Entry | undefined>(
      (at, key) =>
        at?.value.kind === 'map' ? at.value.entries.find(inner => inner.key === String(key)) : undefined,
      entry,
    )?.value;
  if (node?.kind !== 'scalar') return refuse(`${formatPath(path)} is not a single value`);
  const { span } = node;
  const source = text.slice(span.start, span.end);
  const quote = source.startsWith("'") ? "'" : '"';
  const isDtype = /^torch\.\w+$/.test(source) && typeof value === 'string' && /^\w+$/.test(value);
  const written = isDtype ? `torch.${value}` : valueText(value, quote);
  return edit(span, isJson ? inJson(text, span.start, written) : written);
}

/** The call of the key that it should follow, if it takes the argument; else the one that does. */
function placeFor(
  map: MapNode,
  { calls, elsewhere }: CallPlaces,
  name: string,
  after: string | null,
): CallPlace | null {
  const named = calls.filter(call => call.names[name] !== undefined || call.only?.includes(name) === true);
  const neighbor = map.entries.find(({ key }) => key === after);
  const isBeside = ({ span }: CallPlace): boolean =>
    neighbor !== undefined && span.start <= neighbor.keySpan.start && neighbor.keySpan.end <= span.end;
  if (named.length > 0) return named.find(isBeside) ?? named[0] ?? null;
  if (elsewhere.includes(name)) return null;
  return calls.find(({ only }) => only === null) ?? null;
}

/** A value as Python writes it. */
function valueText(value: ScalarValue, quote: '"' | "'"): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'number') return String(value);
  const escaped = value.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll(quote, `\\${quote}`);
  return `${quote}${escaped}${quote}`;
}

/** Python text inside a string of JSON; a new line becomes a new string where each line of the cell is one. */
function inJson(text: string, at: number, python: string): string {
  const escaped = JSON.stringify(python).slice(1, -1);
  const start = text.lastIndexOf('\n', at - 1) + 1;
  const [, indent] = /^([ \t]*)"(?!source")/.exec(text.slice(start, at)) ?? [];
  if (indent === undefined) return escaped;
  const eol = text[start - 2] === '\r' ? '\r\n' : '\n';
  return escaped.replaceAll(
    /(?<!\\)((?:\\\\)*)\\n/g,
    (_, slashes: string) => `${slashes}\\n",${eol}${indent}"`,
  );
}
