import type { Entry, MapNode, ScalarValue } from './node';
import { formatPath } from './path';
import type { YamlPath } from './path';
import { edit, refuse } from './textEdit';
import type { EditResult } from './textEdit';

/** Words that no shell reads as anything but themselves. */
const PLAIN = /^[\w.,:/+-]+$/;

/**
 * A new flag in a shell's text, behind the value of its neighbour: `--name value`, or `a.b=value` among overrides.
 * `text` is the file's. Refuses what a shell would not take as one word.
 */
export function intoCommand(
  text: string,
  map: MapNode,
  path: YamlPath,
  value: ScalarValue,
  neighbour: Entry | undefined,
): EditResult {
  const name = formatPath(path);
  if (neighbour?.value.kind !== 'scalar') return refuse(`${name} has no flag to stand beside`);
  const said = String(value);
  if (value === null || !PLAIN.test(said)) return refuse(`${name} would need quoting on a command line`);
  const written = text[neighbour.keySpan.start] === '-' ? flag(map, name, value) : `${name}=${said}`;
  if (written === null) return refuse(`${name} has no flag that turns it off`);
  const at = behind(text, neighbour);
  return edit({ start: at, end: at }, ` ${written}`);
}

/** Behind a flag and its value, with the quotes that the shell takes off. */
function behind(text: string, { keySpan, value: { span } }: Entry): number {
  const end = Math.max(span.end, keySpan.end);
  const isQuoted = /["']/.test(text[end] ?? '') && text[end] === text[span.start - 1];
  return isQuoted ? end + 1 : end;
}

/** Scripts take `--name true`; programs whose flags have dashes take the flag alone, and have none for false. */
function flag(map: MapNode, name: string, value: ScalarValue): string | null {
  const isScript = map.entries.some(({ key }) => key.includes('_'));
  if (typeof value !== 'boolean' || isScript) return `--${name} ${String(value)}`;
  return value ? `--${name}` : null;
}
