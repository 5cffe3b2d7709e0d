import { commands, l10n, Uri, window, workspace } from 'vscode';
import type { QuickPickItem } from 'vscode';
import { Refusal } from '../host/errors';
import { cancelable, inform, pickOne } from '../host/messages';
import type { JobRecord } from '../jobs/job';
import type { Jobs } from '../jobs/jobs';
import { resultsFolder, whyNotFetched } from '../jobs/job';

/** Copies a job's results from its host to a local folder, with cancellable progress. */
export async function fetchResults(jobs: Jobs, record: JobRecord): Promise<void> {
  const why = whyNotFetched(record);
  if (why !== null) throw new Refusal(`${record.name}: ${why}`);
  const into = await folderFor(record);
  if (!into) return;
  const title = l10n.t('Downloading results of {0}', record.name);
  const names = await cancelable(title, (_, signal) => jobs.fetch(record.id, into.fsPath, signal));
  if (names !== null) await reportFetched(record, names, into);
}

async function reportFetched(record: JobRecord, { length }: readonly string[], into: Uri): Promise<void> {
  if (length === 0) {
    void inform(l10n.t('{0} has no results to download.', record.name));
    return;
  }
  const show = l10n.t('Show');
  const files = length === 1 ? l10n.t('1 file') : l10n.t('{0} files', length);
  const text = l10n.t('Downloaded {0} of {1} to {2}.', files, record.name, workspace.asRelativePath(into));
  if ((await inform(text, show)) !== show) return;
  const isHere = workspace.getWorkspaceFolder(into) !== undefined;
  await commands.executeCommand(isHere ? 'revealInExplorer' : 'revealFileInOS', into);
}

interface FolderRow extends QuickPickItem {
  /** Null: choose another folder. */
  readonly folder: Uri | null;
}

/** The job's folder in the workspace, else a chosen one; null: the user canceled. */
async function folderFor(record: JobRecord): Promise<Uri | null> {
  const name = resultsFolder(record);
  const rows: readonly FolderRow[] = [
    ...(workspace.workspaceFolders ?? [])
      .filter(({ uri }) => uri.scheme === 'file')
      .map(({ uri, name: description }) => ({ label: name, description, folder: uri })),
    { label: l10n.t('Choose Folder …'), folder: null },
  ];
  const title = l10n.t('Download results of {0}', record.name);
  const row = await pickOne(rows, { title, placeHolder: l10n.t('Download to') });
  if (!row) return null;
  const parent = row.folder ?? (await another(title));
  return parent && Uri.joinPath(parent, name);
}

async function another(title: string): Promise<Uri | null> {
  const openLabel = l10n.t('Download Here');
  const [chosen] =
    (await window.showOpenDialog({ title, openLabel, canSelectFolders: true, canSelectFiles: false })) ?? [];
  return chosen ?? null;
}
