/**
 * Characters that a screen obeys or hides instead of showing them: C0 and C1 controls (escape sequences begin with one), line
 * breaks, marks that change the direction of text, zero-width and other invisible characters, halves of pairs.
 */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]/gu;

const NAMED: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** A stranger's text as one line in which everything can be seen: `\n`, `\x1b`, `\u{202e}`. */
export function visible(text: string): string {
  return text.replace(UNSEEN, character => NAMED[character] ?? escaped(character.codePointAt(0) ?? 0));
}

function escaped(code: number): string {
  const digits = code.toString(16);
  return code < 0x100 ? `\\x${digits.padStart(2, '0')}` : `\\u{${digits}}`;
}

/** The same with every run of blanks and line breaks as one blank, for texts of several lines in a place of one. */
export const visibleLine = (text: string): string => visible(text.replace(/\s+/g, ' '));

/** A label of VS Code that would draw `$(name)` as an icon: only ours do. */
export const label = (text: string): string => visibleLine(text).replaceAll('$(', '\\$(');

/** JSON text that is safe on a screen, too: what JSON leaves as it is and a screen obeys is written as an escape. */
export const visibleJson = (value: unknown, indent?: number): string =>
  JSON.stringify(value, null, indent).replace(UNSEEN, character =>
    character === '\n'
      ? character
      : Array.from({ length: character.length }, (_, i) => unit(character, i)).join(''),
  );

const unit = (text: string, at: number): string => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`;
