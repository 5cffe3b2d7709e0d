import { l10n, window } from 'vscode';
import type { Uri } from 'vscode';
import { chosenRun } from '../chosenRun';
import { subjectOf } from './profileConfig';
import type { ProfileServices } from './profileConfig';

/** *Forget Measurements*: what was measured of a run is computed again, once that was agreed to. */
export async function forgetMeasurements(
  services: ProfileServices,
  file: Uri | null,
  name: unknown,
): Promise<void> {
  const chosen = await chosenRun(services, file, name);
  if (!chosen) return;
  const subject = await subjectOf(chosen);
  const what = [subject.file, subject.run].join(' ').trim();
  const forget = l10n.t('Forget');
  const detail = l10n.t(
    'Jobs, dry runs, probes and what you have added: of this workspace, and of yours in all workspaces. What was computed is shown again.',
  );
  const question = l10n.t('Forget what was measured of {0}, with any batch and length?', what);
  if ((await window.showWarningMessage(question, { modal: true, detail }, forget)) !== forget) return;
  const said = await services.profiler.forgotten(subject);
  services.learnt();
  void window.showInformationMessage(said);
}
