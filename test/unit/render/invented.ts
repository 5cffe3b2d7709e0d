import { readFileSync } from 'node:fs';
import { sayIn } from '../../../src/core/text/say';
import type { Say } from '../../../src/core/text/say';

const WIDE = 'Ａ'.charCodeAt(0) - 'A'.charCodeAt(0);

/** A text in wide letters and commas. */
export const wide = (text: string): string =>
  text.replaceAll(/[A-Za-z,]/g, letter => String.fromCharCode(letter.charCodeAt(0) + WIDE));

const BUNDLE = JSON.parse(readFileSync('l10n/bundle.l10n.json', 'utf8')) as Readonly<Record<string, string>>;

/** Says each text in an invented language: the English text in wide letters. What fills its placeholders stays as it is. */
export const translated: Say = sayIn(
  Object.fromEntries(Object.entries(BUNDLE).map(([key, text]) => [key, wide(text)])),
);
