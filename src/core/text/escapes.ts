/** Terminal sequences as other programs spell their escape character. */
const SPELLED = /(?:\\x1[bB]|\\u001[bB]|[\\#]033|\\e|\^\[|␛|\u009b\[?)(?=\[|\d)/g;

/** A terminal's sequence for colors and movements of the cursor. */
const SEQUENCE =
  /\u001b\[[0-9:;<=>?]{0,32}[ -/]{0,4}[@-~]|\u001b\][^\u0007\u001b\n]{0,256}(?:\u0007|\u001b\\)|\u001b[@-Z\\^_=>78]/g;

/** Characters of drawings and controls that JSON and Python write as escapes within lines. */
const DRAWN = /\\u(25[0-9a-fA-F]{2}|00[aA]0|001[bB])/g;

const ESCAPE = /\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|([\s\S]))/g;
const LETTERS: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f', '0': '\0' };

/** A text in which a string of JSON, Python or a log record has its lines back, without terminal sequences. */
export function unescaped(text: string): string {
  const whole = records(text) ?? (isOneLiteral(text) ? decoded(text) : text);
  const drawn = whole.includes('\\u') ? whole.replace(DRAWN, (_, code: string) => character(code)) : whole;
  const sequences = drawn.replace(SPELLED, '\u001b');
  return sequences.includes('\u001b') ? sequences.replace(SEQUENCE, '') : sequences;
}

const character = (code: string): string => String.fromCharCode(Number.parseInt(code, 16));

/** One line with several escaped line breaks, or a text within quotes. */
function isOneLiteral(text: string): boolean {
  const trimmed = text.trim();
  if (/[\n\r]/.test(trimmed)) return false;
  const breaks = trimmed.split('\\n').length - 1;
  const isQuoted = /^b?(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'),?$/.test(trimmed);
  const hasOnlyEscaped = trimmed.includes('\\"') && !/(?<!\\)"/.test(trimmed);
  // The name of a folder of Windows may begin with an n.
  const isBroken = breaks === 1 && !/\b[A-Za-z]:\\/.test(trimmed);
  return breaks > 1 || isBroken || isQuoted || hasOnlyEscaped;
}

/** The text of a literal, without its quotes. */
export function decoded(text: string): string {
  const inner = /^\s*b?(["'])([\s\S]*)\1,?\s*$/.exec(text)?.[2] ?? text;
  return inner.replace(ESCAPE, (_, wide?: string, narrow?: string, letter?: string) => {
    const code = wide ?? narrow;
    if (code !== undefined) return character(code);
    return LETTERS[letter ?? ''] ?? letter ?? '';
  });
}

/** Records of Docker's and other shippers' logs, a JSON object with the line in each; null if it has none. */
function records(text: string): string | null {
  if (!/^\s*\{"/.test(text)) return null;
  const lines = text.trim().split('\n');
  const said: string[] = [];
  for (const line of lines) {
    const words = lineIn(line);
    if (words === null) return null;
    said.push(words.replace(/\n$/, ''));
  }
  return `${said.join('\n')}${text.slice(text.trimEnd().length).includes('\n') ? '\n' : ''}`;
}

function lineIn(line: string): string | null {
  try {
    const record = JSON.parse(line) as Readonly<Record<string, unknown>>;
    const isShipped = 'stream' in record || 'time' in record || 'timestamp' in record;
    const words = record['log'] ?? record['textPayload'];
    return isShipped && typeof words === 'string' ? words : null;
  } catch {
    return null;
  }
}
