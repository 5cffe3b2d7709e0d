import { l10n, workspace } from 'vscode';
import type { TextDocument, Uri } from 'vscode';
import { digestOf } from '../../host/digest';
import { Refusal } from '../../host/errors';
import { isAsOnDisk } from '../../host/onDisk';
import { isWritable } from '../../host/writable';
import { writeBackup } from './backup';
import type { FileChange } from './fileChanges';
import { inverseEdits } from './undoRecord';
import type { UndoHistory } from './undo';
import type { ChangedFile, UndoRecord } from './undoRecord';
import { writeAll } from './writeAll';
import type { Write } from './writeAll';

export interface ApplyOptions {
  readonly backup: boolean;
  /** Save what the user had not saved himself, so that everything is on disk. */
  readonly saveUnsaved: boolean;
}

/** A change and the open document that takes it. */
interface Step extends Write {
  readonly change: FileChange;
}

/**
 * Applies a plan to all of its files or to none: every file must still be what was analysed and be writable. Files
 * with unsaved changes, and those without a name, are changed in the editor only. What is about to happen is noted in
 * the history first, so that it can be taken back whenever the window ends.
 */
export async function applyPlan(
  title: string,
  changes: readonly FileChange[],
  options: ApplyOptions,
  history: UndoHistory,
): Promise<void> {
  const steps: Step[] = [];
  for (const change of changes) steps.push(await prepare(change, options));
  const backups = options.backup ? await writeBackups(steps) : new Map<Step, Uri>();
  const record = (textOf: (step: Step) => string): UndoRecord => ({
    title,
    files: steps.map(step => changedFile(step, textOf(step), backups.get(step))),
  });
  await history.add(record(({ change }) => change.after));
  try {
    await writeAll(steps);
  } catch (error) {
    await history.dropLast();
    for (const backup of backups.values()) await workspace.fs.delete(backup);
    throw error;
  }
  // What VS Code did on saving (format, trim) belongs to what is taken back.
  await history.replaceLast(record(({ document }) => document.getText()));
}

async function prepare(change: FileChange, { saveUnsaved }: ApplyOptions): Promise<Step> {
  const document = await workspace.openTextDocument(change.uri);
  const name = workspace.asRelativePath(change.uri);
  const step = { change, document, edits: change.edits };
  if (document.getText() !== change.before) throw changedMeanwhile(name);
  if (document.isUntitled) return { ...step, save: false };
  if (!(await isWritable(change.uri))) {
    throw new Refusal(
      l10n.t('{0} is read-only. Nothing was changed; make it writable and optimize again.', name),
    );
  }
  if (saveUnsaved) await saveFirst(document, name);
  if (!document.isDirty && !(await isAsOnDisk(document))) throw changedMeanwhile(name);
  return { ...step, save: !document.isDirty };
}

const changedMeanwhile = (name: string): Refusal =>
  new Refusal(
    l10n.t('{0} changed while the plans were worked out. Nothing was changed; optimize again.', name),
  );

async function saveFirst(document: TextDocument, name: string): Promise<void> {
  if (!document.isDirty || (await document.save())) return;
  throw new Refusal(l10n.t('{0} could not be saved, so nothing was changed.', name));
}

async function writeBackups(steps: readonly Step[]): Promise<Map<Step, Uri>> {
  const backups = new Map<Step, Uri>();
  for (const step of steps) {
    if (step.save) backups.set(step, await writeBackup(step.change.uri));
  }
  return backups;
}

function changedFile({ change, document }: Step, now: string, backup: Uri | undefined): ChangedFile {
  const asPlanned = now === change.after;
  return {
    uri: document.uri.toString(),
    beforeDigest: digestOf(change.before),
    afterDigest: digestOf(now),
    back: asPlanned
      ? inverseEdits(change.before, change.edits)
      : [{ span: { start: 0, end: now.length }, text: change.before }],
    backup: backup?.toString() ?? null,
  };
}
