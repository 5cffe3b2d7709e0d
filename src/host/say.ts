import { l10n } from 'vscode';
import { sayIn } from '../core/text/say';
import type { Say } from '../core/text/say';

let inThisWindow: Say | null = null;

/** Says texts of core in the language of this window. */
export const say: Say = (text, ...values) => {
  inThisWindow ??= sayIn(l10n.bundle ?? {});
  return inThisWindow(text, ...values);
};
