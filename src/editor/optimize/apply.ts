import { l10n, workspace, WorkspaceEdit } from 'vscode';
import type { TextDocument, Range, Uri } from 'vscode';
import { digestOf } from '../../host/digest';
import { Refusal } from '../../host/errors';
import { rangeOf } from '../../host/ranges';
import { isWritable } from '../../host/writable';
import { writeBackup } from './backup';
import type { FileChange } from './fileChanges';
import { inverseEdits } from './undoRecord';
import type { ChangedFile } from './undoRecord';

export interface ApplyOptions {
  readonly backup: boolean;
  /** Save what the user had not saved himself, so that everything is on disk. */
  readonly saveUnsaved: boolean;
}

/** A change and the open document that takes it. */
interface Step {
  readonly change: FileChange;
  readonly document: TextDocument;
  /** Whether the result is written to disk, not left in the editor. */
  readonly save: boolean;
}

/**
 * Applies a plan to all of its files or to none: every file must still be what was analysed and be writable; when a
 * file cannot be saved the others are put back.
 */
export async function applyChanges(
  changes: readonly FileChange[],
  options: ApplyOptions,
): Promise<ChangedFile[]> {
  const steps: Step[] = [];
  for (const change of changes) steps.push(await prepare(change, options));
  const backups = options.backup ? await writeBackups(steps) : new Map<Step, Uri>();
  try {
    await edit(steps.map(({ change, document }) => ({ document, edits: change.edits })));
    await saveAll(steps);
  } catch (error) {
    for (const backup of backups.values()) await workspace.fs.delete(backup);
    throw error;
  }
  return steps.map(step => changedFile(step, backups.get(step)));
}

async function prepare(change: FileChange, { saveUnsaved }: ApplyOptions): Promise<Step> {
  const document = await workspace.openTextDocument(change.uri);
  const name = workspace.asRelativePath(change.uri);
  if (document.getText() !== change.before) {
    throw new Refusal(
      l10n.t('{0} changed while the plans were worked out. Nothing was changed; optimize again.', name),
    );
  }
  if (document.isUntitled) return { change, document, save: false };
  if (!(await isWritable(change.uri))) {
    throw new Refusal(
      l10n.t('{0} is read-only. Nothing was changed; make it writable and optimize again.', name),
    );
  }
  if (document.isDirty && saveUnsaved && !(await document.save())) throw unsaved(name);
  return { change, document, save: !document.isDirty };
}

async function writeBackups(steps: readonly Step[]): Promise<Map<Step, Uri>> {
  const backups = new Map<Step, Uri>();
  for (const step of steps) if (step.save) backups.set(step, await writeBackup(step.change.uri));
  return backups;
}

/** Edits of open documents, as one step of undo. */
export async function edit(
  all: readonly { readonly document: TextDocument; readonly edits: ChangedFile['back'] }[],
): Promise<void> {
  const whole = new WorkspaceEdit();
  for (const { document, edits } of all) {
    for (const { span, text } of edits) whole.replace(document.uri, rangeOf(document, span), text);
  }
  if (!(await workspace.applyEdit(whole))) {
    throw new Refusal(l10n.t('VS Code refused the edit. Nothing was changed; try again.'));
  }
}

/** Saves every file; when one fails, all get their old text back. */
async function saveAll(steps: readonly Step[]): Promise<void> {
  for (const { document, save } of steps) {
    if (!save || (await document.save())) continue;
    await putBack(steps);
    throw unsaved(workspace.asRelativePath(document.uri));
  }
}

async function putBack(steps: readonly Step[]): Promise<void> {
  const whole = new WorkspaceEdit();
  for (const { document, change } of steps) whole.replace(document.uri, everything(document), change.before);
  await workspace.applyEdit(whole);
  for (const { document, save } of steps) if (save) await document.save();
}

const everything = (document: TextDocument): Range =>
  rangeOf(document, { start: 0, end: document.getText().length });

const unsaved = (name: string): Refusal =>
  new Refusal(
    l10n.t(
      '{0} could not be saved, so nothing was changed. Look why it cannot be written, and try again.',
      name,
    ),
  );

/** What VS Code did on saving (format, trim) belongs to what is taken back. */
function changedFile({ change, document }: Step, backup: Uri | undefined): ChangedFile {
  const now = document.getText();
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
