/** Longer digits are no setting. */
const LONGEST_NUMBER = 40;

/** A number as Python writes it; null for complex numbers and what is no number. */
export function numberIn(source: string): number | null {
  const text = source.replaceAll('_', '');
  // What `Number` takes, but for empty text, signs and words.
  if (text.length > LONGEST_NUMBER || !/^[\d.]/.test(text)) return null;
  const value = Number(text);
  return Number.isFinite(value) ? value : null;
}

const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  '\\': '\\',
  "'": "'",
  '"': '"',
  '\n': '',
};

/** The text of a string literal; null for bytes. Unknown escapes stay as they are, as in Python. */
export function textIn(source: string): string | null {
  const [, prefix = '', quote = ''] = /^([a-zA-Z]*)('''|"""|'|")/.exec(source) ?? [];
  if (quote === '' || /b/i.test(prefix)) return null;
  const start = prefix.length + quote.length;
  const body = source.slice(
    start,
    source.endsWith(quote) ? Math.max(start, source.length - quote.length) : undefined,
  );
  if (/r/i.test(prefix)) return body;
  return body.replaceAll(/\\([\s\S])/g, (whole, escape: string) => ESCAPES[escape] ?? whole);
}

/** A string literal in double or single quotes. */
export function quotedText(text: string, quote: '"' | "'"): string {
  const escaped = text
    .replaceAll('\\', '\\\\')
    .replaceAll('\n', '\\n')
    .replaceAll('\r', '\\r')
    .replaceAll(quote, `\\${quote}`);
  return `${quote}${escaped}${quote}`;
}
