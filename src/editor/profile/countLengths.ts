import { l10n, ProgressLocation, window } from 'vscode';
import type { Uri } from 'vscode';
import { signalOf } from '../../host/signal';
import { chosenRun } from '../chosenRun';
import { subjectOf, unlessCancelled } from './profileConfig';
import type { ProfileServices } from './profileConfig';

/** *Measure Data Lengths*: how long the rows of the run's data are, with progress, to be cancelled; the answer is in the hover. */
export async function countLengths(
  services: ProfileServices,
  file: Uri | null,
  name: unknown,
): Promise<void> {
  const chosen = await chosenRun(services, file, name);
  if (!chosen) return;
  const subject = await subjectOf(chosen);
  const title = l10n.t('Data lengths of {0}', [subject.file, subject.run].join(' ').trim());
  const options = { location: ProgressLocation.Notification, title, cancellable: true };
  const said = await window.withProgress(options, (progress, token) =>
    unlessCancelled(token, () =>
      services.profiler.lengths(subject, message => progress.report({ message }), signalOf(token)),
    ),
  );
  if (said === null) return;
  services.learnt();
  const explain = l10n.t('Explain');
  void window.showInformationMessage(said, explain).then(answer => {
    if (answer === explain) void services.explain(chosen.analysed.document.uri, subject.run);
  });
}
