import { l10n, Uri, workspace } from 'vscode';
import { digestOf } from '../../host/digest';
import { isAsOnDisk } from '../../host/documents';
import { Refusal } from '../../host/errors';
import { openPage } from '../../host/pages';
import type { Page } from '../../host/pages';
import type { JsonFile } from '../../host/jsonFile';
import { mention } from '../../host/messages';
import { removeIfSame } from './backup';
import type { ChangedFile, UndoRecord } from './undoRecord';
import { writeAll } from './writeAll';

const KEPT = 20;

/** The plans applied in this workspace, newest last. They survive the window, even a crash. */
export class UndoHistory {
  constructor(private readonly file: JsonFile) {}

  async last(): Promise<UndoRecord | null> {
    return (await this.all()).at(-1) ?? null;
  }

  async add(record: UndoRecord): Promise<void> {
    await this.file.write([...(await this.all()), record].slice(-KEPT));
  }

  async replaceLast(record: UndoRecord): Promise<void> {
    await this.file.write([...(await this.all()).slice(0, -1), record]);
  }

  async dropLast(): Promise<void> {
    await this.file.write((await this.all()).slice(0, -1));
  }

  private async all(): Promise<readonly UndoRecord[]> {
    const kept = await this.file.read();
    return Array.isArray(kept) ? (kept as UndoRecord[]) : [];
  }
}

/** Undoes the last applied plan in all of its files, or refuses and names the file that was edited since. */
export async function undoLast(history: UndoHistory): Promise<void> {
  const record = await lastDone(history);
  if (!record) {
    throw new Refusal(l10n.t('Nothing to undo.'));
  }
  const steps = [];
  for (const file of record.files) steps.push({ file, document: await open(file) });
  if (steps.every(({ file, document }) => digestOf(document.getText()) === file.beforeDigest)) {
    await history.dropLast();
    throw new Refusal(l10n.t('The last optimization was already undone.'));
  }
  for (const { file, document } of steps) await refuseEdited(file, document);
  await writeAll(
    steps.map(({ file, document }) => {
      const save = !document.isDirty && !document.isUntitled;
      return { document, edits: file.back, save };
    }),
  );
  for (const { file, document } of steps) {
    if (file.backup !== null && !document.isDirty) await removeIfSame(document.uri, Uri.parse(file.backup));
  }
  await history.dropLast();
  mention(l10n.t('Undone: {0}', record.title), 'discard', 5000);
}

/** The last applied plan; forgets one that was still pending when its window closed. */
async function lastDone(history: UndoHistory): Promise<UndoRecord | null> {
  for (;;) {
    const record = await history.last();
    if (!record?.pending || !(await isUntouched(record))) return record;
    await history.dropLast();
  }
}

async function isUntouched({ files }: UndoRecord): Promise<boolean> {
  for (const file of files) {
    const { digest } = await open(file).then(
      document => ({ digest: digestOf(document.getText()) }),
      () => ({ digest: null }),
    );
    if (digest !== file.beforeDigest) return false;
  }
  return true;
}

async function open(file: ChangedFile): Promise<Page> {
  const uri = Uri.parse(file.uri);
  try {
    return await openPage(uri);
  } catch {
    const name = workspace.asRelativePath(uri);
    throw new Refusal(l10n.t("Couldn't open {0}, so nothing was undone.{1}", name, backupHint(file)));
  }
}

async function refuseEdited(file: ChangedFile, document: Page): Promise<void> {
  const onDisk = document.isDirty || document.isUntitled || (await isAsOnDisk(document));
  if (onDisk && digestOf(document.getText()) === file.afterDigest) return;
  const name = workspace.asRelativePath(document.uri);
  throw new Refusal(
    l10n.t('{0} was edited after the optimization, so nothing was undone.{1}', name, backupHint(file)),
  );
}

function backupHint({ backup }: ChangedFile): string {
  if (backup === null) return '';
  return ` ${l10n.t('Its previous text is in {0}.', workspace.asRelativePath(Uri.parse(backup)))}`;
}
