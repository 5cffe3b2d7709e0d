/** A word that a POSIX shell takes as it is; null for what no line can hold. */
export function quoted(word: string): string | null {
  return /[\n\r]/.test(word) ? null : quotedText(word);
}

/** The same where a word may go over several lines; null for what no word can hold. */
export function quotedText(word: string): string | null {
  if (word.includes('\0')) return null;
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

const ANSI = /\u001b\[[0-?]*[ -/]*[@-~]/g;
const MOST_CHARACTERS = 300;

/** Foreign words as one line without control characters; null when nothing is left of them. */
export function oneLine(text: string): string | null {
  const plain = text
    .replace(ANSI, '')
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim();
  return plain === '' ? null : plain.slice(0, MOST_CHARACTERS);
}
