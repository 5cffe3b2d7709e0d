/** A word that a POSIX shell takes as it is; null for what no line can hold. */
export function quoted(word: string): string | null {
  if (/[\n\r\0]/.test(word)) return null;
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
