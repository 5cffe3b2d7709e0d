import type { Entry, MapNode, ScalarValue } from './node';
import { formatPath } from './path';
import type { YamlPath } from './path';
import { edit, refuse } from '../text/textEdit';
import type { EditResult } from '../text/textEdit';

/** Words that no shell interprets. */
const PLAIN = /^[\w.,:/+-]+$/;

/**
 * Adds a flag to a shell's text after its neighbor's value: `--name value`, or `a.b=value` among overrides. `text`
 * is the file's. Refuses values that a shell would not read as one word.
 */
export function addToCommand(
  text: string,
  map: MapNode,
  path: YamlPath,
  value: ScalarValue,
  neighbor: Entry | undefined,
): EditResult {
  const name = formatPath(path);
  if (neighbor?.value.kind !== 'scalar') return refuse(`${name} has no flag to follow`);
  const { start, end } = neighbor.keySpan;
  const isWritten = text[start] === '-' || text.slice(start, end).includes('=');
  if (!isWritten) return refuse(`${name} has no command line to stand in`);
  // Of two equal flags, a program takes the last one.
  if (map.entries.some(({ key, merged }) => merged && key === path[0])) {
    return refuse(`${name} is a variable of a loop or of a caller: change it there`);
  }
  const valueText = String(value);
  if (value === null || !PLAIN.test(valueText)) return refuse(`${name} would need quoting on a command line`);
  const written = text[neighbor.keySpan.start] === '-' ? flag(map, name, value) : `${name}=${valueText}`;
  if (written === null) return refuse(`${name} has no flag that turns it off`);
  const at = endOfFlag(text, neighbor);
  return edit({ start: at, end: at }, ` ${written}`);
}

/**
 * Adds a flag to a list of arguments, as an item after its neighbor: `- --name=value`, or two items if the
 * neighbor's value is a separate item. Refuses if flags are not in a list, or share a line with something else.
 */
export function addToArguments(
  text: string,
  map: MapNode,
  path: YamlPath,
  value: ScalarValue,
  neighbor: Entry | undefined,
): EditResult {
  const name = formatPath(path);
  const sibling = [neighbor, ...map.entries.toReversed()].find(
    entry => entry?.merged === false && isFlag(text, entry),
  );
  if (!sibling) return refuse(`${name} would be a new flag of a command line: add it there`);
  const valueText = String(value);
  if (value === null || !PLAIN.test(valueText)) return refuse(`${name} would need quoting on a command line`);
  const written = flag(map, name, value);
  if (written === null) return refuse(`${name} has no flag that turns it off`);
  const words = written.split(' ');
  const { quote, inBlock } = itemAt(text, sibling);
  const end = endOfFlag(text, sibling);
  const inOneWord = !/\s|,/.test(text.slice(sibling.keySpan.end, sibling.value.span.start));
  const items = inOneWord ? [words.join('=')] : words;
  if (inBlock === null) {
    // A program may add words one by one.
    if (
      /\bappend\(\s*["']?$/.test(text.slice(Math.max(0, sibling.keySpan.start - 40), sibling.keySpan.start))
    ) {
      return refuse(`${name} would be a new word of a list: add it there`);
    }
    const list = items.map(item => `, ${quote}${item}${quote}`).join('');
    return quote === ''
      ? refuse(`${name} would stand in a list without quotes`)
      : edit({ start: end, end }, list);
  }
  const line = /[^\r\n]*/y;
  line.lastIndex = end;
  const rest = line.exec(text)?.[0] ?? '';
  if (!/^\s*(?:#.*)?$/.test(rest)) return refuse(`${name} would stand in the middle of a line`);
  const at = end + rest.length;
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const lines = items.map(item => `${eol}${inBlock}${quoted(item, quote)}`).join('');
  return edit({ start: at, end: at }, lines);
}

/** True if the key begins with a dash, or with a list's dash before it. */
const isFlag = (text: string, { keySpan, value }: Entry): boolean =>
  value.kind === 'scalar' && (text[keySpan.start] === '-' || text.startsWith('--', keySpan.start - 2));

/** The format of a list's items: the quote, and the prefix of each line; null: all on one line. */
function itemAt(
  text: string,
  { keySpan }: Entry,
): { readonly quote: string; readonly inBlock: string | null } {
  const start = text.lastIndexOf('\n', keySpan.start - 1) + 1;
  const before = text.slice(start, keySpan.start);
  const [, indent = null, quote = ''] = /^([ \t]*- +)(["']?)(?:--)?$/.exec(before) ?? [];
  return indent === null
    ? { quote: /["']/.exec(before.at(-1) ?? '')?.[0] ?? '', inBlock: null }
    : { quote, inBlock: indent };
}

/** Quotes a number, because the list needs strings. */
const quoted = (item: string, quote: string): string =>
  quote === '' && !/^-|[a-z]/i.test(item) ? `"${item}"` : `${quote}${item}${quote}`;

/** The end of a flag and its value, including quotes that the shell removes. */
function endOfFlag(text: string, { keySpan, value: { span } }: Entry): number {
  const end = Math.max(span.end, keySpan.end);
  const isQuoted = /["']/.test(text[end] ?? '') && text[end] === text[span.start - 1];
  return isQuoted ? end + 1 : end;
}

/** Scripts take `--name true`; programs with dashes in their flags take the flag alone, and have none for false. */
function flag(map: MapNode, name: string, value: ScalarValue): string | null {
  const isScript = map.entries.some(({ key }) => key.includes('_'));
  if (typeof value !== 'boolean' || isScript) return `--${name} ${String(value)}`;
  return value ? `--${name}` : null;
}
