/** Quotes a word for a POSIX shell; null if it cannot be on one line. */
export function quoted(word: string): string | null {
  return /[\n\r]/.test(word) ? null : quotedText(word);
}

/** The same for a word that may span lines; null if it cannot be passed at all. */
export function quotedText(word: string): string | null {
  if (word.includes('\0')) return null;
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

const ANSI = /\u001b\[[0-?]*[ -/]*[@-~]/g;
const MOST_CHARACTERS = 300;

/** Untrusted text as one line without control characters; null if nothing is left. */
export function oneLine(text: string): string | null {
  const plain = text
    .replace(ANSI, '')
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim();
  return plain === '' ? null : plain.slice(0, MOST_CHARACTERS);
}
