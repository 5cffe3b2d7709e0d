/**
 * Characters that a screen interprets or hides: C0 and C1 controls (escape sequences begin with one), line breaks,
 * direction marks, zero-width and other invisible characters, lone surrogates.
 */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]/gu;

const NAMED: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** Untrusted text as one line in which every character is visible: `\n`, `\x1b`, `\u{202e}`. */
export function visible(text: string): string {
  return text.replace(UNSEEN, character => NAMED[character] ?? escaped(character.codePointAt(0) ?? 0));
}

function escaped(code: number): string {
  const digits = code.toString(16);
  return code < 0x100 ? `\\x${digits.padStart(2, '0')}` : `\\u{${digits}}`;
}

/** Like `visible`, with whitespace and line breaks collapsed, for multi-line text in a single line. */
export const visibleLine = (text: string): string => visible(text.replace(/\s+/g, ' '));

/**
 * A VS Code label, which would render `$(name)` as an icon: escapes icons in untrusted text. Like VS Code's own
 * function for this it leaves escaped ones as they are, so a label may be passed through twice.
 */
export const label = (text: string): string =>
  visibleLine(text).replace(/\\?\$\(/g, found => (found.startsWith('\\') ? found : `\\${found}`));

/**
 * A VS Code notification or prompt, which would render `[text](command:…)` as a link. It has no way to escape one, so
 * a space separates the two parts; icons are not rendered there.
 */
export const notice = (text: string): string => visibleLine(text).replaceAll('](', '] (');

/** JSON text that is also safe on a screen: escapes characters that JSON allows but a screen interprets. */
export const visibleJson = (value: unknown, indent?: number): string =>
  JSON.stringify(value, null, indent).replace(UNSEEN, character =>
    character === '\n'
      ? character
      : Array.from({ length: character.length }, (_, i) => unit(character, i)).join(''),
  );

const unit = (text: string, at: number): string => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`;
