import { l10n, ProgressLocation, window, workspace } from 'vscode';
import type { CancellationToken, Uri } from 'vscode';
import type { Target } from '../../core/hardware/gpu';
import { bytesOf } from '../../core/output/size';
import { seenPhaseInWords } from '../../core/memory/words';
import { formatBytes } from '../../core/units';
import { Refusal } from '../../host/errors';
import { signalOf } from '../../host/signal';
import { setting } from '../../host/settings';
import type { Settings } from '../../host/settings';
import { mustBeTrusted } from '../../host/trust';
import { chosenRun } from '../chosenRun';
import type { ChosenRun } from '../chosenRun';
import type { EditorServices } from '../services';
import { pythonFor } from './python';
import type { Signal } from '../../core/signal';
import { reasonOf } from '../../core/text/errors';

/** One run of a saved config, as paths of this machine. */
export interface ProfileSubject {
  readonly folder: string;
  readonly file: string;
  readonly run: string;
  /** What the run is judged against in this window. */
  readonly target: Target | null;
  /** Whom a result is kept for. */
  readonly keptFor: Settings['measurements.keptFor'];
}

export interface DryRunSaid {
  readonly peakBytes: number;
  readonly phase: string;
  readonly predictedBytes: number | null;
}

/** Who runs the user's Python; handed in by extension.ts. */
export interface Profiler {
  dryRun(
    subject: ProfileSubject,
    python: string,
    progress: (text: string) => void,
    signal: Signal,
  ): Promise<DryRunSaid>;
  /** Keeps an amount that the user has seen; the answer is a sentence. */
  measured(subject: ProfileSubject, size: string): Promise<string>;
  /** Forgets what was measured of the run, in the workspace and among the user's own; the answer is a sentence. */
  forgotten(subject: ProfileSubject): Promise<string>;
  /** Writes all measurements that count for the config into a file; the answer is a sentence. */
  exported(subject: ProfileSubject, to: string): Promise<string>;
  /** Counts how long the rows of the run's data are, and keeps that; the answer is sentences. */
  lengths(subject: ProfileSubject, progress: (text: string) => void, signal: Signal): Promise<string>;
}

export interface ProfileServices extends EditorServices {
  readonly profiler: Profiler;
  /** Measurements have changed: what is shown is analysed again. */
  readonly learnt: () => void;
  readonly explain: (file: Uri, run: string) => unknown;
}

/** *Profile This Config*: its own code on tensors without data, with progress, to be cancelled. */
export async function profileConfig(
  services: ProfileServices,
  file: Uri | null,
  name: unknown,
): Promise<void> {
  const chosen = await chosenRun(services, file, name);
  if (!chosen) return;
  const subject = await subjectOf(chosen);
  const title = l10n.t('Dry run of {0}', [subject.file, subject.run].join(' ').trim());
  const options = { location: ProgressLocation.Notification, title, cancellable: true };
  const said = await window.withProgress(options, (progress, token) =>
    unlessCancelled(token, async () =>
      services.profiler.dryRun(
        subject,
        await pythonFor(chosen.analysed.document.uri),
        message => progress.report({ message }),
        signalOf(token),
      ),
    ),
  );
  if (!said) return;
  services.learnt();
  const explain = l10n.t('Explain');
  const message = sentenceOf(subject, said);
  void window.showInformationMessage(message, explain).then(answer => {
    if (answer === explain) void services.explain(chosen.analysed.document.uri, subject.run);
  });
}

function sentenceOf(
  { file }: ProfileSubject,
  { peakBytes, phase: seen, predictedBytes }: DryRunSaid,
): string {
  const found = formatBytes(peakBytes);
  const phase = seenPhaseInWords(seen);
  if (predictedBytes === null) return l10n.t('{0}: {1} allocated at the peak ({2}).', file, found, phase);
  return l10n.t(
    '{0}: {1} allocated at the peak ({2}); {3} was computed.',
    file,
    found,
    phase,
    formatBytes(predictedBytes),
  );
}

/** What was cancelled has no answer, and nothing is wrong. */
export async function unlessCancelled<T>(
  token: CancellationToken,
  work: () => Promise<T>,
): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    if (token.isCancellationRequested) return null;
    throw new Refusal(reasonOf(error));
  }
}

/** *Add Measurement*: what the user has seen the run take. */
export async function addMeasurement(
  services: ProfileServices,
  file: Uri | null,
  name: unknown,
): Promise<void> {
  const chosen = await chosenRun(services, file, name);
  if (!chosen) return;
  const subject = await subjectOf(chosen);
  const size = await window.showInputBox({
    title: l10n.t('How much memory did {0} use?', [subject.file, subject.run].join(' ').trim()),
    prompt: l10n.t('Peak memory on one GPU, as nvidia-smi shows it'),
    placeHolder: '19.8 GB',
    validateInput: text =>
      bytesOf(text) === null ? l10n.t('Enter an amount of memory, such as 19.8 GB or 812 MiB.') : null,
  });
  if (size === undefined) return;
  const told = await services.profiler.measured(subject, size.replace(/\s/g, ''));
  services.learnt();
  void window.showInformationMessage(told);
}

/** The run as it lies on the disk: what is run is what is saved. */
export async function subjectOf({ analysed, run }: ChosenRun): Promise<ProfileSubject> {
  const { document } = analysed;
  mustBeTrusted(
    l10n.t('Profiling is unavailable in Restricted Mode. Trust this workspace to profile a config.'),
  );
  if (document.uri.scheme !== 'file' && document.uri.scheme !== 'vscode-remote') {
    throw new Refusal(l10n.t("You can profile only configs on this machine's disk."));
  }
  if (document.isDirty && !(await document.save())) {
    throw new Refusal(l10n.t('Save the config first. Headroom profiles the saved file.'));
  }
  const folder = workspace.getWorkspaceFolder(document.uri);
  const root = folder?.uri.fsPath ?? document.uri.fsPath.replace(/[\\/][^\\/]*$/, '');
  const file = folder ? workspace.asRelativePath(document.uri, false) : document.uri.fsPath;
  const keptFor = setting('measurements.keptFor', document.uri);
  return { folder: root, file, run: run.run.name, target: run.target, keptFor };
}
