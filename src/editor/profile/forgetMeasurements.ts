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
    'This deletes measurements from jobs, dry runs and probes and those you added, in this workspace and in your home folder. Headroom then shows computed values again.',
  );
  const question = l10n.t('Forget all measurements of {0}, for every batch size and length?', what);
  if ((await window.showWarningMessage(question, { modal: true, detail }, forget)) !== forget) return;
  const said = await services.profiler.forgotten(subject);
  services.learnt();
  void window.showInformationMessage(said);
}
