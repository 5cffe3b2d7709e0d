import { l10n, workspace } from 'vscode';
import type { RunAnalysis } from '../../core/rules/analysis';
import { measuredPhaseText } from '../../core/memory/words';
import { formatBytes } from '../../core/units';
import { Refusal } from '../../host/errors';
import { setting } from '../../host/settings';
import { mustBeTrusted } from '../../host/trust';
import { askText, cancelable, inform } from '../../host/messages';
import { chosenRun } from '../chosenRun';
import type { ChosenRun, RunCommand } from '../chosenRun';
import { askPlace, HERE, profileElsewhere } from './elsewhere';
import { profileProgram } from './program';
import { pythonFor } from './python';
import { titleOf } from './profiler';
import type { DryRunSummary, ProfileServices, ProfileSubject } from './profiler';
import { reasonOf } from '../../core/text/errors';
import { english } from '../../core/text/say';

/** *Profile This Config*: runs its own code on tensors without data, with cancellable progress. */
export const profileConfig: RunCommand<ProfileServices> = async (services, file, name) => {
  const chosen = await chosenRun(services, file, name);
  if (!chosen) return;
  const of = await subjectOf(chosen);
  const isUnknown = isUnknownModel(chosen.run) || chosen.run.tentative !== undefined;
  const place = await askPlace(services, of);
  if (place === null) return;
  if (place !== HERE) {
    return profileElsewhere(services, chosen, of, place, isUnknown ? () => askEntry(of) : null);
  }
  const way = isUnknown ? await profileProgram(services, chosen, of) : 'entry';
  if (way === null) return;
  const entry = isUnknown ? await askEntry(of) : null;
  if (entry === undefined) return;
  const subject = entry === null ? of : { ...of, entry };
  const title = l10n.t('Dry run of {0}', titleOf(subject));
  const summary = await profiled(title, async (report, signal) =>
    services.profiler.dryRun(subject, await pythonFor(chosen.analyzed.document.uri), report, signal),
  );
  if (!summary) return;
  services.learned();
  const explain = l10n.t('Explain');
  const message = sentenceOf(subject, summary);
  void inform(message, explain).then(answer => {
    if (answer === explain) void services.explain(chosen.analyzed.document.uri, subject.run);
  });
};

const isUnknownModel = ({ model }: RunAnalysis): boolean =>
  model === null || Boolean(model.described ?? model.network);

/** The function that builds a model known only to the user's code; undefined if the user cancels. */
function askEntry(subject: ProfileSubject): Thenable<string | undefined> {
  return askText({
    title: l10n.t('Dry run of {0}', titleOf(subject)),
    prompt: l10n.t('The function in your code that builds the model, as module:function'),
    placeHolder: 'mypackage.train:for_headroom',
    ignoreFocusOut: true,
    validateInput: text =>
      /^[A-Za-z_][\w.]*:[A-Za-z_]\w*$/.test(text.trim())
        ? null
        : l10n.t('Write the module, a colon and the function: mypackage.train:for_headroom'),
  });
}

function sentenceOf(
  { file }: ProfileSubject,
  { peakBytes, phase: seen, predictedBytes }: DryRunSummary,
): string {
  const found = formatBytes(peakBytes);
  const phase = measuredPhaseText(english, seen);
  if (predictedBytes === null) return l10n.t('{0}: {1} allocated at the peak ({2}).', file, found, phase);
  return l10n.t(
    '{0}: {1} allocated at the peak ({2}); {3} was computed.',
    file,
    found,
    phase,
    formatBytes(predictedBytes),
  );
}

/** Cancelable work of the profiler, whose failure is a sentence for the user. */
export const profiled = <T>(
  title: string,
  work: (report: (text: string) => void, signal: AbortSignal) => Promise<T>,
): Thenable<T | null> =>
  cancelable(title, (report, signal) =>
    work(report, signal).catch((error: unknown) => {
      throw new Refusal(reasonOf(error));
    }),
  );

/** The run as saved on disk, because the saved file is what runs. */
export async function subjectOf({ analyzed, run }: ChosenRun): Promise<ProfileSubject> {
  const { document } = analyzed;
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
