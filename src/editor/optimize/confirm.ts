import { l10n, QuickPickItemKind, ThemeIcon, workspace } from 'vscode';
import type { QuickPickItem, Uri } from 'vscode';
import type { Plan } from '../../core/plan/plan';
import { comma } from '../../core/text/lists';
import { basename } from '../../core/text/paths';
import { say } from '../../host/say';
import type { FileChange } from './fileChanges';
import { openPages } from '../../host/pages';
import { pickOne } from '../../host/messages';

type Decision = 'apply' | 'save and apply' | 'preview' | 'page' | 'back' | null;

interface DecisionItem extends QuickPickItem {
  readonly decision?: Decision;
}

/** Asks whether to apply a plan, with the preview in view and the plan's reasons below. */
export async function confirmPlan(
  plan: Plan,
  changes: readonly FileChange[],
  backup: boolean,
): Promise<Decision> {
  const dirty = changes.filter(({ uri }) => isUnsaved(uri)).map(({ uri }) => workspace.asRelativePath(uri));
  const back = item('arrow-left', l10n.t('Back to the plans'), { decision: 'back' });
  const preview = item('checklist', l10n.t('Choose change by change …'), { decision: 'preview' });
  const page = item('graph', l10n.t('Before and after …'), { decision: 'page' });
  const items = [...applyItems(changes, dirty, backup), preview, page, back, ...proofItems(plan)];
  for (;;) {
    const chosen = await pickOne(items, {
      title: plan.title,
      placeHolder: l10n.t('Apply to {0}?', describeFiles(changes)),
      ignoreFocusOut: true,
    });
    if (chosen?.decision !== undefined || !chosen) return chosen?.decision ?? null;
  }
}

function describeFiles(changes: readonly FileChange[]): string {
  const [first] = changes;
  if (first && changes.length === 1) return workspace.asRelativePath(first.uri);
  return l10n.t('{0} files: {1}', changes.length, changes.map(({ uri }) => basename(uri.path)).join(', '));
}

/** What the plan promises, one line each: for reading, not selectable. */
function proofItems({ effect, arithmetic }: Plan): DecisionItem[] {
  // The terms of the sum get their own row.
  const lines = arithmetic.flatMap(({ text, terms }) => (terms === undefined ? [text] : [text, terms]));
  const rows = [...effect.split(comma(say)), ...lines].map(line => item('dash', line, {}));
  return [{ label: l10n.t('effect'), kind: QuickPickItemKind.Separator }, ...rows];
}

/** An icon path is not read out by screen readers, as an icon in the label would be. */
const item = (icon: string, label: string, more: Partial<DecisionItem>): DecisionItem => ({
  label,
  iconPath: new ThemeIcon(icon),
  ...more,
});

function applyItems(
  changes: readonly FileChange[],
  dirty: readonly string[],
  backup: boolean,
): DecisionItem[] {
  const untitled = changes.every(({ uri }) => uri.scheme === 'untitled');
  const one = changes.length === 1;
  const saves = one ? l10n.t('saves a backup first') : l10n.t('saves a backup of each file first');
  const description = backup && !untitled ? saves : '';
  if (dirty.length === 0) return [item('check', l10n.t('Apply'), { description, decision: 'apply' })];
  const names = dirty.join(', ');
  return [
    item('save', l10n.t('Save {0} and apply', names), { description, decision: 'save and apply' }),
    item('check', l10n.t('Apply and leave {0} unsaved', names), {
      description: l10n.t('no backups of unsaved files'),
      decision: 'apply',
    }),
  ];
}

export function isUnsaved(uri: Uri): boolean {
  const open = openPages().find(page => page.uri.toString() === uri.toString());
  return open !== undefined && open.isDirty && !open.isUntitled;
}
