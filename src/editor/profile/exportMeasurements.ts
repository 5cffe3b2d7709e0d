import { l10n, Uri, window } from 'vscode';
import { chosenRun } from '../chosenRun';
import { subjectOf } from './profileConfig';
import type { ProfileServices } from './profileConfig';

/** *Export Measurements*: all that count for the config's workspace, as they are kept or as a table. */
export async function exportMeasurements(
  services: ProfileServices,
  file: Uri | null,
  name: unknown,
): Promise<void> {
  const chosen = await chosenRun(services, file, name);
  if (!chosen) return;
  const subject = await subjectOf(chosen);
  const to = await window.showSaveDialog({
    title: l10n.t('Export measurements'),
    defaultUri: Uri.joinPath(Uri.file(subject.folder), 'measurements.csv'),
    filters: { [l10n.t('Table')]: ['csv'], [l10n.t('JSON Lines')]: ['jsonl'] },
  });
  if (!to) return;
  void window.showInformationMessage(await services.profiler.exported(subject, to.fsPath));
}
