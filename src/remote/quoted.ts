/** A word that a POSIX shell takes as it is; null for what no line can hold. */
export function quoted(word: string): string | null {
  return /[\n\r]/.test(word) ? null : quotedText(word);
}

/** The same where a word may go over several lines; null for what no word can hold. */
export function quotedText(word: string): string | null {
  if (word.includes('\0')) return null;
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
