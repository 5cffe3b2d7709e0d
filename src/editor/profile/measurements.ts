import { l10n, Uri, window } from 'vscode';
import { bytesOf } from '../../core/output/size';
import { isRecord } from '../../core/text/json';
import { MIB } from '../../core/units';
import { askText, decide, inform } from '../../host/messages';
import type { PrintedPeak } from '../cellOutputs';
import { chosenRun } from '../chosenRun';
import type { RunCommand } from '../chosenRun';
import { profiled, subjectOf } from './profileConfig';
import type { ProfileServices, ProfileSubject } from './profiler';
import { titleOf } from './profiler';

/** The run that a command is about, as saved on disk; null if none was chosen. */
async function chosenSubject(
  services: ProfileServices,
  file: Uri | null,
  name: unknown,
): Promise<ProfileSubject | null> {
  const chosen = await chosenRun(services, file, name);
  return chosen && subjectOf(chosen);
}

/** *Add Measurement*: a peak that the user observed, or that a cell of a notebook printed. */
export const addMeasurement: RunCommand<ProfileServices, [printed: unknown]> = async (
  services,
  file,
  name,
  printed,
) => {
  const subject = await chosenSubject(services, file, name);
  if (!subject) return;
  if (isPeak(printed)) {
    const amount = `${Math.round(printed.bytes / MIB)}MiB`;
    await measured(services, subject, amount, printed.metric);
    return;
  }
  const size = await askText({
    title: l10n.t('How much memory did {0} use?', titleOf(subject)),
    prompt: l10n.t('Peak memory on one GPU, as nvidia-smi shows it'),
    placeHolder: '19.8 GB',
    validateInput: text =>
      bytesOf(text) === null ? l10n.t('Enter an amount of memory, such as 19.8 GB or 812 MiB.') : null,
  });
  if (size !== undefined) await measured(services, subject, size.replace(/\s/g, ''), 'device');
};

async function measured(
  { profiler, learned }: ProfileServices,
  subject: ProfileSubject,
  amount: string,
  metric: PrintedPeak['metric'],
): Promise<void> {
  const message = await profiler.measured(subject, amount, metric);
  learned();
  void inform(message);
}

const isPeak = (given: unknown): given is PrintedPeak =>
  isRecord(given) && typeof given['bytes'] === 'number' && METRICS.includes(given['metric']);

const METRICS: readonly unknown[] = ['device', 'reserved', 'allocated'];

/** *Export Measurements*: all that apply to the config's workspace, as stored or as a table. */
export const exportMeasurements: RunCommand<ProfileServices> = async (services, file, name) => {
  const subject = await chosenSubject(services, file, name);
  if (!subject) return;
  const to = await window.showSaveDialog({
    title: l10n.t('Export measurements'),
    defaultUri: Uri.joinPath(Uri.file(subject.folder), 'measurements.csv'),
    filters: { [l10n.t('Table')]: ['csv'], [l10n.t('JSON Lines')]: ['jsonl'] },
  });
  if (!to) return;
  void inform(await services.profiler.exported(subject, to.fsPath));
};

/** *Forget Measurements*: after confirmation, removes a run's measurements, so that it is estimated again. */
export const forgetMeasurements: RunCommand<ProfileServices> = async (services, file, name) => {
  const subject = await chosenSubject(services, file, name);
  if (!subject) return;
  const forget = l10n.t('Forget');
  const detail = l10n.t(
    'This deletes all measurements, of this workspace and of your home folder. Those of jobs, dry runs and probes and those you added are lost. Headroom then shows computed values again.',
  );
  const question = l10n.t(
    'Forget all measurements of {0}, for every batch size and length?',
    titleOf(subject),
  );
  if ((await decide('warning', { title: question, lines: [detail] }, forget)) !== forget) return;
  const message = await services.profiler.forgotten(subject);
  services.learned();
  void inform(message);
};

/**
 * *Measure Data Lengths*: the lengths of the rows of the run's data, with cancellable progress; the hover shows the
 * result.
 */
export const countLengths: RunCommand<ProfileServices> = async (services, file, name) => {
  const chosen = await chosenRun(services, file, name);
  if (!chosen) return;
  const subject = await subjectOf(chosen);
  const title = l10n.t('Data lengths of {0}', titleOf(subject));
  const result = await profiled(title, (report, signal) =>
    services.profiler.lengths(subject, report, signal),
  );
  if (result === null) return;
  services.learned();
  const explain = l10n.t('Explain');
  void inform(result, explain).then(answer => {
    if (answer === explain) void services.explain(chosen.analyzed.document.uri, subject.run);
  });
};
