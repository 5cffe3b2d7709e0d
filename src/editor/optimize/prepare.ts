import { l10n, workspace } from 'vscode';
import { Refusal } from '../../host/errors';
import { isAsOnDisk, isWritable } from '../../host/documents';
import { openPage, textsOf } from '../../host/pages';
import type { Page, Texts } from '../../host/pages';
import type { FileChange } from './fileChanges';
import type { Write } from './writeAll';

/** A change and the open document that it applies to. */
export interface Step extends Write {
  readonly change: FileChange;
  /** What is put back if it is undone otherwise than edit by edit. */
  readonly before: Texts;
}

/**
 * The documents of a plan, if each is as analyzed, writable, and as on disk; else refuses before anything is
 * changed. `saveUnsaved`: also save the user's own unsaved changes.
 */
export async function prepareAll(
  changes: readonly FileChange[],
  saveUnsaved: boolean,
): Promise<readonly Step[]> {
  const steps: Step[] = [];
  for (const change of changes) steps.push(await prepare(change, saveUnsaved));
  return steps;
}

async function prepare(change: FileChange, saveUnsaved: boolean): Promise<Step> {
  const document = await openPage(change.uri);
  const name = workspace.asRelativePath(change.uri);
  const step = { change, document, edits: change.edits, before: textsOf(document) };
  if (document.getText() !== change.before) throw changedMeanwhile(name);
  if (document.isUntitled) return { ...step, save: false };
  if (!(await isWritable(change.uri))) {
    throw new Refusal(
      l10n.t('{0} is read-only, so nothing was changed. Make it writable and try again.', name),
    );
  }
  if (saveUnsaved) await saveFirst(document, name);
  if (!document.isDirty && !(await isAsOnDisk(document))) throw changedMeanwhile(name);
  return { ...step, save: !document.isDirty };
}

export const changedMeanwhile = (name: string): Refusal =>
  new Refusal(l10n.t('{0} changed during the search, so nothing was applied. Run Optimize again.', name));

async function saveFirst(document: Page, name: string): Promise<void> {
  if (!document.isDirty || (await document.save())) return;
  throw new Refusal(l10n.t("Couldn't save {0}, so nothing was changed.", name));
}
