import { l10n, QuickPickItemKind, ThemeIcon, window } from 'vscode';
import type { QuickPickItem } from 'vscode';
import type { GoalWords } from '../../core/plan/goals';
import type { Advice, Goal, Plan, PlanSearch } from '../../core/plan/plan';

interface PlanItem extends QuickPickItem {
  readonly choice?: Picked;
}

export type Picked =
  | { readonly kind: 'plan'; readonly plan: Plan }
  | { readonly kind: 'goal'; readonly goal: Goal }
  | { readonly kind: 'advice'; readonly advice: Advice }
  | { readonly kind: 'target' }
  | null;

const otherTarget = {
  iconPath: new ThemeIcon('server-environment'),
  tooltip: l10n.t('Choose another GPU'),
};

/** What is asked about the plans. */
export interface Question {
  readonly title: string;
  readonly answer: string;
  readonly goal: GoalWords;
  /** Others that can be asked for. */
  readonly goals: readonly GoalWords[];
  /** How a plan is shown in the list. */
  readonly rowOf: (plan: Plan) => Pick<QuickPickItem, 'label' | 'detail'>;
}

/**
 * Shows the plans, best first, as soon as they are found. Null when the user leaves; `target` when he wants plans for
 * another GPU, `goal` when for another goal, `advice` when he wants to have its text.
 */
export function pickPlan(question: Question, search: Promise<PlanSearch>): Promise<Picked> {
  const { title, answer } = question;
  const pick = window.createQuickPick<PlanItem>();
  Object.assign(pick, { title, busy: true, matchOnDetail: true, buttons: [otherTarget] });
  pick.placeholder = l10n.t('Working out plans …');
  return new Promise<Picked>((resolve, reject) => {
    pick.onDidAccept(() => {
      const choice = pick.selectedItems[0]?.choice;
      if (choice) resolve(choice);
    });
    pick.onDidTriggerButton(() => resolve({ kind: 'target' }));
    pick.onDidHide(() => resolve(null));
    pick.show();
    search.then(found => {
      pick.busy = false;
      pick.placeholder = l10n.t('{0}. Choose a plan to see it as a diff.', answer);
      pick.items = items(found, question);
    }, reject);
  }).finally(() => pick.dispose());
}

const NONE = new ThemeIcon('circle-slash');
const COPY = new ThemeIcon('copy');
const GOAL = new ThemeIcon('target');
const NOT_USED = new ThemeIcon('dash');

function items(
  { plans, rejected, reached, advice }: PlanSearch,
  { goal, goals, rowOf }: Question,
): PlanItem[] {
  const found = plans.map(plan => ({ ...rowOf(plan), choice: { kind: 'plan', plan } as const }));
  const none =
    found.length > 0
      ? []
      : [{ label: reached ? l10n.t('It fits as it is') : goal.none, iconPath: NONE, alwaysShow: true }];
  const others = goals
    .filter(other => other.goal !== goal.goal)
    .map(({ goal: id, label, detail }) => ({
      label,
      description: detail,
      iconPath: GOAL,
      choice: { kind: 'goal', goal: id } as const,
    }));
  const beside = advice.map(one => ({
    label: one.text,
    detail: one.why,
    iconPath: COPY,
    choice: { kind: 'advice', advice: one } as const,
  }));
  const unused = rejected.map(({ remedy, why }) => ({ label: remedy, description: why, iconPath: NOT_USED }));
  return [
    ...found,
    ...none,
    ...below(l10n.t('Beside the config, to be copied'), beside),
    ...below(l10n.t('Other goals'), others),
    ...below(l10n.t('Not used'), unused),
  ];
}

const below = (label: string, rows: readonly PlanItem[]): readonly PlanItem[] =>
  rows.length === 0 ? [] : [{ label, kind: QuickPickItemKind.Separator }, ...rows];
