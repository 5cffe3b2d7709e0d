/** The first statement of a text, behind blanks and comments: a table's header, or a key with TOML's equals sign. */
const FIRST =
  /^\uFEFF?(?:[ \t]*(?:#[^\n]*)?\r?\n)*[ \t]*(?:\[\[?[ \t]*["'\w][^\]\n,:]*\]\]?[ \t]*(?:#[^\n]*)?\r?(?:\n|$)|(?:[\w.-]+|"[^"\n]*"|'[^'\n]*')(?:[ \t]+=[ \t]*|=)(?:["'[{\d+-]|true\b|false\b|inf\b|nan\b))/;

/** True for a text that begins as TOML does. Shell scripts can begin so, too: exclude them first. */
export const looksLikeToml = (text: string): boolean => FIRST.test(text);
