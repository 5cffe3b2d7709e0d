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
