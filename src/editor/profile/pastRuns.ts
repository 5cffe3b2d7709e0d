import { l10n, window, workspace } from 'vscode';
import type { QuickPickItem, Uri } from 'vscode';
import { basename } from '../../core/text/paths';
import { formatBytes } from '../../core/units';
import { Refusal } from '../../host/errors';
import { inform, pickMany } from '../../host/messages';
import { setting } from '../../host/settings';
import { mustBeTrusted } from '../../host/trust';
import { profiled } from './profileConfig';
import type { LogFolder, LoggedRun, ProfileServices } from './profiler';

/** *Import Past Runs*: lists what the logs in a folder say of memory and speed, and keeps what the user checks. */
export async function importPastRuns(services: ProfileServices, given: Uri | null): Promise<void> {
  mustBeTrusted(
    l10n.t('Importing runs is unavailable in Restricted Mode. Trust this workspace to read their logs.'),
  );
  const folder = given ?? (await askFolder());
  if (!folder) return;
  const logs = logFolder(folder);
  const title = l10n.t('Reading logs in {0}', basename(folder.path));
  const runs = await profiled(title, (_, signal) => services.profiler.pastRuns(logs, signal));
  if (runs === null) return;
  const usable = runs.filter(({ keeps }) => keeps > 0);
  if (usable.length === 0) {
    void inform(nothingIn(basename(folder.path), runs.length));
    return;
  }
  const chosen = await pickMany(usable.map(itemOf), {
    title: l10n.t('Import Past Runs'),
    placeHolder: l10n.t('Memory and times of the checked runs correct estimates and times.'),
    matchOnDescription: true,
    matchOnDetail: true,
  });
  if (!chosen || chosen.length === 0) return;
  const kept = await services.profiler.keepPastRuns(
    logs,
    chosen.map(({ run }) => run),
  );
  services.learned();
  void inform(kept);
}

async function askFolder(): Promise<Uri | undefined> {
  const workspaceFolder = workspace.workspaceFolders?.[0]?.uri;
  const chosen = await window.showOpenDialog({
    title: l10n.t('Import Past Runs'),
    openLabel: l10n.t('Read Logs'),
    canSelectFiles: false,
    canSelectFolders: true,
    ...(workspaceFolder && { defaultUri: workspaceFolder }),
  });
  return chosen?.[0];
}

function logFolder(uri: Uri): LogFolder {
  if (uri.scheme !== 'file' && uri.scheme !== 'vscode-remote') {
    throw new Refusal(l10n.t("You can import only logs on this machine's disk."));
  }
  const own = workspace.getWorkspaceFolder(uri);
  const root = own ?? workspace.workspaceFolders?.[0];
  const keptFor = setting('measurements.keptFor', uri);
  const isRoot = own?.uri.toString() === uri.toString();
  // Configs are stored as the workspace names them.
  const logs = isRoot ? '.' : own ? workspace.asRelativePath(uri, false) : uri.fsPath;
  return { folder: root?.uri.fsPath ?? uri.fsPath, logs, keptFor };
}

const nothingIn = (folder: string, runs: number): string =>
  runs === 0
    ? l10n.t('{0} has no logs of runs.', folder)
    : l10n.t('{0} has logs of {1} runs, but none with memory or times of a config.', folder, runs);

type RunItem = QuickPickItem & { readonly run: string };

/** The run, its model and GPU, and below it what is kept beside the prediction. */
function itemOf({ run, at, gpu, model, memory, secondsPerStep }: LoggedRun): RunItem {
  const [peak] = memory;
  const predicted = peak?.predicted ?? null;
  const bytes = peak && formatBytes(peak.bytes);
  const parts = [
    ...(bytes && predicted === null ? [bytes] : []),
    ...(bytes && predicted !== null ? [l10n.t('{0}, {1} was computed', bytes, formatBytes(predicted))] : []),
    ...(secondsPerStep === null ? [] : [l10n.t('{0} s a step', secondsPerStep.toPrecision(2))]),
    ...(at === null ? [] : [at.slice(0, 10)]),
  ];
  const description = [model, gpu?.name].filter(Boolean).join(' · ');
  return { run, label: run, description, detail: parts.join(' · '), picked: true };
}
