/** `/^cuda:\d+$/`, or `/vit/i` in any case; null for plain words. */
export function patternOf(words: string): RegExp | null {
  const [, source, flags] = /^\/(.+)\/(i?)$/.exec(words) ?? [];
  if (source === undefined) return null;
  try {
    return new RegExp(source, flags);
  } catch {
    return null;
  }
}

/** Whether a file's words are a value: as text, or by a regular expression. */
export const isMeant = (words: string, text: string): boolean =>
  patternOf(words)?.test(text) ?? words === text;
