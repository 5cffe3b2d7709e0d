import { l10n, QuickPickItemKind, ThemeIcon, window } from 'vscode';
import type { QuickPickItem } from 'vscode';
import type { Goal, Plan, PlanSearch } from '../../core/plan/plan';

interface PlanItem extends QuickPickItem {
  readonly plan?: Plan;
}

export type Picked = { readonly kind: 'plan'; readonly plan: Plan } | { readonly kind: 'target' } | null;

const otherTarget = {
  iconPath: new ThemeIcon('server-environment'),
  tooltip: l10n.t('Choose another GPU'),
};

/**
 * Shows the plans, best first, as soon as they are found. Null when the user leaves; `target` when he wants plans for
 * another GPU.
 */
export function pickPlan(
  title: string,
  answer: string,
  goal: Goal,
  search: Promise<PlanSearch>,
): Promise<Picked> {
  const pick = window.createQuickPick<PlanItem>();
  Object.assign(pick, { title, busy: true, matchOnDetail: true, buttons: [otherTarget] });
  pick.placeholder = l10n.t('Working out plans …');
  return new Promise<Picked>((resolve, reject) => {
    pick.onDidAccept(() => {
      const plan = pick.selectedItems[0]?.plan;
      if (plan) resolve({ kind: 'plan', plan });
    });
    pick.onDidTriggerButton(() => resolve({ kind: 'target' }));
    pick.onDidHide(() => resolve(null));
    pick.show();
    search.then(found => {
      pick.busy = false;
      pick.placeholder = l10n.t('{0}. Choose a plan to see it as a diff.', answer);
      pick.items = items(found, goal);
    }, reject);
  }).finally(() => pick.dispose());
}

const NO_PLAN: Readonly<Record<Goal, string>> = {
  fit: l10n.t('$(circle-slash) No plan makes this run fit'),
  fill: l10n.t('$(circle-slash) No plan makes better use of this GPU'),
};

function items({ plans, rejected }: PlanSearch, goal: Goal): PlanItem[] {
  const found = plans.map(plan => ({
    label: plan.title,
    detail: plan.effect,
    plan,
  }));
  const none = found.length > 0 ? [] : [{ label: NO_PLAN[goal], alwaysShow: true }];
  if (rejected.length === 0) return [...found, ...none];
  const others = rejected.map(({ remedy, why }) => ({ label: `$(dash) ${remedy}`, description: why }));
  const separator = { label: l10n.t('Not used'), kind: QuickPickItemKind.Separator };
  return [...found, ...none, separator, ...others];
}
