import { workspace } from 'vscode';
import type { Uri } from 'vscode';
import { digestOf } from '../../host/digest';
import { editsBackTo } from '../../host/pages';
import { writeBackup } from './backup';
import type { FileChange } from './fileChanges';
import { prepareAll } from './prepare';
import type { Step } from './prepare';
import { inverseEdits } from './undoRecord';
import type { UndoHistory } from './undo';
import type { ChangedFile, UndoRecord } from './undoRecord';
import { writeAll } from './writeAll';

export interface ApplyOptions {
  readonly backup: boolean;
  /** Also save the user's own unsaved changes, so that everything is on disk. */
  readonly saveUnsaved: boolean;
}

/**
 * Applies a plan to all of its files or to none: every file must still be as analyzed and be writable. Files with
 * unsaved changes, and untitled ones, are changed only in the editor. The change is recorded in the history first,
 * so that it can be undone even if the window closes.
 */
export async function applyPlan(
  title: string,
  changes: readonly FileChange[],
  options: ApplyOptions,
  history: UndoHistory,
): Promise<void> {
  const steps = await prepareAll(changes, options.saveUnsaved);
  const backups = options.backup ? await writeBackups(steps) : new Map<Step, Uri>();
  await history.add(recordOf(title, steps, backups, ({ change }) => change.after));
  try {
    await writeAll(steps);
  } catch (error) {
    await history.dropLast();
    for (const backup of backups.values()) await workspace.fs.delete(backup);
    throw error;
  }
  // Changes that VS Code made on save (format, trim) are undone, too.
  await history.replaceLast(recordOf(title, steps, backups, ({ document }) => document.getText()));
}

async function writeBackups(steps: readonly Step[]): Promise<Map<Step, Uri>> {
  const backups = new Map<Step, Uri>();
  for (const step of steps) {
    if (step.save) backups.set(step, await writeBackup(step.change.uri));
  }
  return backups;
}

/** The undo record of each document's current or future text. */
export function recordOf(
  title: string,
  steps: readonly Step[],
  backups: ReadonlyMap<Step, Uri>,
  textOf: (step: Step) => string,
): UndoRecord {
  return { title, files: steps.map(step => changedFile(step, textOf(step), backups.get(step))) };
}

function changedFile({ change, document, before }: Step, now: string, backup: Uri | undefined): ChangedFile {
  const asPlanned = now === change.after;
  return {
    uri: document.uri.toString(),
    beforeDigest: digestOf(change.before),
    afterDigest: digestOf(now),
    back: asPlanned ? inverseEdits(change.before, change.edits) : editsBackTo(document, before),
    backup: backup?.toString() ?? null,
  };
}
