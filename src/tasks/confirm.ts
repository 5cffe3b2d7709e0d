import { env, l10n, window } from 'vscode';
import type { Outlook, StartView } from '../jobs/startView';

/** What the user wants of a start that was shown. */
export type Answer = 'start' | 'limits' | 'leave';

/** Shows the one screen before a start; `hasLimits`: there is a scheduler to be told more. */
export async function confirmStart(view: StartView, outlook: Outlook, hasLimits: boolean): Promise<Answer> {
  const isWarning = outlook === 'refused' || outlook === 'crowded';
  const start = isWarning ? l10n.t('Run Anyway') : outlook === 'waits' ? l10n.t('Queue') : l10n.t('Start');
  const limits = l10n.t('Change Resources …');
  const copy = l10n.t('Copy Command');
  const buttons = [start, ...(hasLimits ? [limits] : []), copy];
  const options = { modal: true, detail: detailOf(view) };
  const chosen = isWarning
    ? await window.showWarningMessage(view.title, options, ...buttons)
    : await window.showInformationMessage(view.title, options, ...buttons);
  if (chosen === copy) await env.clipboard.writeText(view.command);
  return chosen === start ? 'start' : chosen === limits ? 'limits' : 'leave';
}

/** The screen as text below its title. */
export const detailOf = ({ command, rows }: StartView): string =>
  [command, '', ...rows.map(([label, texts]) => `${label}: ${joined(texts)}`)].join('\n');

/** Sentences follow one another. */
const joined = (texts: readonly string[]): string =>
  texts.join(texts.every(text => text.endsWith('.')) ? ' ' : '; ');
