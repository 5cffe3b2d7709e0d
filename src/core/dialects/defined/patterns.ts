import { filePattern } from '../../spec/filePattern';
import type { Pattern } from '../../spec/filePattern';

/** `/^cuda:\d+$/`, or `/vit/i` ignoring case; null for plain words. */
export function patternOf(words: string): Pattern | null {
  const [, source, flags] = /^\/(.+)\/(i?)$/.exec(words) ?? [];
  return source === undefined ? null : filePattern(source, flags);
}

/** True if a value matches the file's words: as text, or by a regular expression. */
export const isMeant = (words: string, text: string): boolean =>
  patternOf(words)?.test(text) ?? words === text;
