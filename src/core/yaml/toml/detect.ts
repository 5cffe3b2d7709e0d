/** A table's header alone on its line, or a key with TOML's equals sign and what a value begins with. */
const STATEMENT =
  /^[ \t]*(?:\[\[?[ \t]*["'\w][^\]\n,:]*\]\]?[ \t]*(?:#.*)?$|(?:[\w.-]+|"[^"]*"|'[^']*')(?:[ \t]+=[ \t]*|=)(?:["'[{\d+-]|(?:true|false|inf|nan)\b))/;

/** Lines are looked at up to so many characters. */
const LONGEST = 200;

/**
 * True for a text that begins as TOML does, by its first line that is not a comment. Shell scripts can begin so, too:
 * exclude them first.
 */
export function looksLikeToml(text: string): boolean {
  for (let start = text.startsWith('\uFEFF') ? 1 : 0; start < text.length;) {
    const found = text.indexOf('\n', start);
    const end = found < 0 ? text.length : found;
    const line = text.slice(start, Math.min(end, start + LONGEST)).trimEnd();
    if (line !== '' && !/^[ \t]*#/.test(line)) return STATEMENT.test(line);
    start = end + 1;
  }
  return false;
}
