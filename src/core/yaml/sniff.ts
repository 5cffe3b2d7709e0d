/**
 * Names of keys found by a scan of the text without parsing it: the word before each colon that could end a key.
 * Values can only add names, so the set is never too small: a test on it may say "perhaps ours" wrongly, never
 * "not ours".
 */
export function sniffKeys(text: string, wanted: ReadonlySet<string>): Set<string> {
  const seen = new Set<string>();
  for (let colon = text.indexOf(':'); colon >= 0; colon = text.indexOf(':', colon + 1)) {
    const next = text.charCodeAt(colon + 1);
    if (!isKeyEnd(next)) continue;
    const key = wordBefore(text, colon);
    if (key !== '' && wanted.has(key)) {
      seen.add(key);
      if (seen.size === wanted.size) break;
    }
  }
  return seen;
}

/** Space, tab, line break, end of text, or what may follow a quoted JSON key. */
function isKeyEnd(code: number): boolean {
  return (
    Number.isNaN(code) ||
    code === 0x20 ||
    code === 0x0a ||
    code === 0x0d ||
    code === 0x09 ||
    code === 0x22 ||
    code === 0x5b ||
    code === 0x7b
  );
}

function wordBefore(text: string, colon: number): string {
  let end = colon;
  while (end > 0 && (text.charCodeAt(end - 1) === 0x20 || text.charCodeAt(end - 1) === 0x09)) end--;
  if (text.charCodeAt(end - 1) === 0x22 || text.charCodeAt(end - 1) === 0x27) end--;
  let start = end;
  while (start > 0 && end - start < 64 && isWord(text.charCodeAt(start - 1))) start--;
  return text.slice(start, end);
}

/** Letters, digits, `_`, `-`, `.`, `/`: what keys of configs are made of. */
function isWord(code: number): boolean {
  return (
    (code >= 0x61 && code <= 0x7a) ||
    (code >= 0x41 && code <= 0x5a) ||
    (code >= 0x30 && code <= 0x39) ||
    code === 0x5f ||
    code === 0x2d ||
    code === 0x2e ||
    code === 0x2f
  );
}
