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

/** What is asked about the plans. */
export interface Question {
  readonly title: string;
  readonly answer: string;
  readonly goal: Goal;
  /** How a plan is shown in the list. */
  readonly rowOf: (plan: Plan) => Pick<QuickPickItem, 'label' | 'detail'>;
}

/**
 * Shows the plans, best first, as soon as they are found. Null when the user leaves; `target` when he wants plans for
 * another GPU.
 */
export function pickPlan(
  { title, answer, goal, rowOf }: Question,
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
      pick.items = items(found, goal, rowOf);
    }, reject);
  }).finally(() => pick.dispose());
}

const NO_PLAN: Readonly<Record<Goal, string>> = {
  fit: l10n.t('No plan makes this run fit'),
  fill: l10n.t('No plan makes better use of this GPU'),
};
const NONE = new ThemeIcon('circle-slash');
const NOT_USED = new ThemeIcon('dash');

function items({ plans, rejected }: PlanSearch, goal: Goal, rowOf: Question['rowOf']): PlanItem[] {
  const found = plans.map(plan => ({ ...rowOf(plan), plan }));
  const none = found.length > 0 ? [] : [{ label: NO_PLAN[goal], iconPath: NONE, alwaysShow: true }];
  if (rejected.length === 0) return [...found, ...none];
  const others = rejected.map(({ remedy, why }) => ({ label: remedy, description: why, iconPath: NOT_USED }));
  const separator = { label: l10n.t('Not used'), kind: QuickPickItemKind.Separator };
  return [...found, ...none, separator, ...others];
}
