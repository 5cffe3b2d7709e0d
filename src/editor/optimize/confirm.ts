import { l10n, QuickPickItemKind, window, workspace } from 'vscode';
import type { QuickPickItem, TextDocument, Uri } from 'vscode';
import type { Plan } from '../../core/plan/plan';
import type { FileChange } from './fileChanges';

export type Decision = 'apply' | 'save and apply' | 'back' | null;

interface DecisionItem extends QuickPickItem {
  readonly decision?: Decision;
}

/** Asks, with the preview in view and the plan's proof below, whether it is to be applied. */
export async function confirmPlan(
  plan: Plan,
  changes: readonly FileChange[],
  backup: boolean,
): Promise<Decision> {
  const names = changes.map(({ uri }) => workspace.asRelativePath(uri)).join(', ');
  const dirty = changes.filter(({ uri }) => isUnsaved(uri)).map(({ uri }) => workspace.asRelativePath(uri));
  const back: DecisionItem = { label: l10n.t('$(arrow-left) Back to the plans'), decision: 'back' };
  const items = [...applyItems(changes, dirty, backup), back, ...proofItems(plan)];
  for (;;) {
    const chosen = await window.showQuickPick(items, {
      title: plan.title,
      placeHolder: l10n.t('Apply to {0}?', names),
      ignoreFocusOut: true,
    });
    if (chosen?.decision !== undefined || !chosen) return chosen?.decision ?? null;
  }
}

/** What the plan promises, a line each: to be read, not chosen. */
function proofItems({ effect, arithmetic }: Plan): DecisionItem[] {
  const lines = [effect, ...arithmetic].map(line => ({ label: `$(dash) ${line}` }));
  return [{ label: l10n.t('effect'), kind: QuickPickItemKind.Separator }, ...lines];
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
