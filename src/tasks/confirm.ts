import { env, l10n, window } from 'vscode';
import { shellLine } from '../core/launch/words';
import type { Screen } from './screen';

/** Shows the one screen before a start. True: it is to be started. */
export async function confirmStart(screen: Screen, argv: readonly string[]): Promise<boolean> {
  const start = screen.outlook === 'refused' ? l10n.t('Run Anyway') : l10n.t('Start');
  const copy = l10n.t('Copy Command');
  const options = { modal: true, detail: screen.detail };
  const chosen =
    screen.outlook === 'refused'
      ? await window.showWarningMessage(screen.title, options, start, copy)
      : await window.showInformationMessage(screen.title, options, start, copy);
  if (chosen === copy) await env.clipboard.writeText(shellLine(argv));
  return chosen === start;
}
