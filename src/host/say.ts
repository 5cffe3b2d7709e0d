import { l10n } from 'vscode';
import type { Say } from '../core/text/say';

/** Says texts of core in the language of this window. */
export const say: Say = (text, ...values) => l10n.t(text, ...values);
