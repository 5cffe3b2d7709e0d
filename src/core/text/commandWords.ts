/** A quoted part, an escaped letter, a space, what only a shell can do, or another letter. */
const PART = /'([^']*)'|"((?:[^"\\$`]|\\[^])*)"|\\([^])|(\s+)|([|;&<>`$()'"\\])|([^])/gu;

/**
 * The words of one command as typed in a terminal, with quotes and backslashes as in a shell; null if it is empty,
 * has an open quote, or needs a shell (pipes, variables, several commands).
 */
export function commandWords(text: string): readonly string[] | null {
  const line = text.replaceAll(/\\\r?\n/g, ' ').trim();
  const words: string[] = [];
  let word: string | null = null;
  for (const [, single, double, escaped, space, acts, letter] of line.matchAll(PART)) {
    if (acts !== undefined) return null;
    if (space === undefined) {
      word = `${word ?? ''}${single ?? double?.replaceAll(/\\(["\\])/g, '$1') ?? escaped ?? letter ?? ''}`;
    } else if (/[\r\n]/.test(space)) {
      return null;
    } else {
      if (word !== null) words.push(word);
      word = null;
    }
  }
  if (word !== null) words.push(word);
  return words.length > 0 ? words : null;
}
