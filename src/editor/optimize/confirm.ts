import { l10n, window, workspace } from 'vscode';
import type { QuickPickItem, TextDocument, Uri } from 'vscode';
import type { FileChange } from './fileChanges';

export type Decision = 'apply' | 'save and apply' | 'back' | null;

interface DecisionItem extends QuickPickItem {
  readonly decision: Decision;
}

/** Asks, with the preview in view, whether a plan is to be applied. */
export async function confirmPlan(
  title: string,
  changes: readonly FileChange[],
  backup: boolean,
): Promise<Decision> {
  const names = changes.map(({ uri }) => workspace.asRelativePath(uri)).join(', ');
  const dirty = changes.filter(({ uri }) => isUnsaved(uri)).map(({ uri }) => workspace.asRelativePath(uri));
  const back: DecisionItem = { label: l10n.t('$(arrow-left) Back to the plans'), decision: 'back' };
  const chosen = await window.showQuickPick([...applyItems(changes, dirty, backup), back], {
    title,
    placeHolder: l10n.t('Apply to {0}?', names),
    ignoreFocusOut: true,
  });
  return chosen?.decision ?? null;
}

function applyItems(
  changes: readonly FileChange[],
  dirty: readonly string[],
  backup: boolean,
): DecisionItem[] {
  const untitled = changes.every(({ uri }) => uri.scheme === 'untitled');
  const kept = backup && !untitled ? l10n.t('saves a backup beside each file first') : '';
  if (dirty.length === 0) return [{ label: l10n.t('$(check) Apply'), description: kept, decision: 'apply' }];
  const names = dirty.join(', ');
  return [
    { label: l10n.t('$(save) Save {0} and apply', names), description: kept, decision: 'save and apply' },
    {
      label: l10n.t('$(check) Apply and leave {0} unsaved', names),
      description: l10n.t('no backup of unsaved files'),
      decision: 'apply',
    },
  ];
}

function isUnsaved(uri: Uri): boolean {
  const open = workspace.textDocuments.find(
    (document: TextDocument) => document.uri.toString() === uri.toString(),
  );
  return open !== undefined && open.isDirty && !open.isUntitled;
}
