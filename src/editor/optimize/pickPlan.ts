import { l10n, QuickPickItemKind, ThemeIcon, window } from 'vscode';
import type { QuickInputButton, QuickPickItem } from 'vscode';
import type { GoalWords } from '../../core/plan/goals';
import type { Advice, Goal, Plan, PlanSearch, FittingGpu } from '../../core/plan/plan';

/** What becomes of a plan that is chosen. */
export type How =
  /** It is applied. */
  | 'apply'
  /** Its changes are shown in VS Code's refactor preview and chosen one by one. */
  | 'preview'
  /** It is shown as a diff, and asked whether to apply it. */
  | 'diff'
  /** The run before and after it is shown on a page. */
  | 'page';

interface PlanItem extends QuickPickItem {
  readonly choice?: Picked;
}

interface PlanButton extends QuickInputButton {
  readonly how: How;
}

/** At the end of a plan's row: for what Enter does not do. */
const PLAN_BUTTONS: readonly PlanButton[] = [
  { how: 'apply', iconPath: new ThemeIcon('check'), tooltip: l10n.t('Apply') },
  { how: 'preview', iconPath: new ThemeIcon('checklist'), tooltip: l10n.t('Choose change by change') },
  { how: 'diff', iconPath: new ThemeIcon('diff'), tooltip: l10n.t('Show as a diff') },
  { how: 'page', iconPath: new ThemeIcon('graph'), tooltip: l10n.t('Before and after') },
];

export type Picked =
  | { readonly kind: 'plan'; readonly plan: Plan; readonly how: How }
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
  /** What Enter does with a plan. */
  readonly how: How;
  /** Stays when you look at something else. */
  readonly stays: boolean;
  /** Where the run would fit that no plan makes fit. */
  readonly fittingGpusText: (fittingGpus: readonly FittingGpu[]) => string | null;
  /** How a plan is shown in the list. */
  readonly rowOf: (plan: Plan) => Pick<QuickPickItem, 'label' | 'description' | 'detail'>;
  /** Why there is no plan. */
  readonly noneHeadline: (search: PlanSearch, goal: Goal) => string;
}

/**
 * Shows the plans, best first, as soon as they are found. Null when the user leaves; `target` when he wants plans for
 * another GPU, `goal` when for another goal, `advice` when he wants to have its text.
 */
export function pickPlan(question: Question, search: Promise<PlanSearch>): Promise<Picked> {
  const { title, answer } = question;
  const pick = window.createQuickPick<PlanItem>();
  const ignoreFocusOut = question.stays;
  Object.assign(pick, {
    title,
    busy: true,
    matchOnDescription: true,
    matchOnDetail: true,
    buttons: [otherTarget],
    ignoreFocusOut,
  });
  pick.placeholder = l10n.t('Searching for plans …');
  const late = setTimeout(() => {
    pick.placeholder = l10n.t('Still searching for plans … Press Esc to cancel.');
  }, PATIENCE_MS);
  return new Promise<Picked>((resolve, reject) => {
    pick.onDidAccept(() => {
      const choice = pick.selectedItems[0]?.choice;
      if (choice) resolve(choice);
    });
    pick.onDidTriggerItemButton(({ item: { choice }, button }) => {
      if (choice?.kind === 'plan') resolve({ ...choice, how: (button as PlanButton).how });
    });
    pick.onDidTriggerButton(() => resolve({ kind: 'target' }));
    pick.onDidHide(() => resolve(null));
    pick.show();
    search.then(found => {
      clearTimeout(late);
      pick.busy = false;
      pick.placeholder = l10n.t('{0}. {1}', answer, WHAT_ENTER_DOES[question.how]);
      pick.items = items(found, question);
    }, reject);
  }).finally(() => {
    clearTimeout(late);
    pick.dispose();
  });
}

const WHAT_ENTER_DOES: Readonly<Record<How, string>> = {
  apply: l10n.t('Enter applies a plan. The buttons preview it.'),
  preview: l10n.t('Choose a plan to see its changes one by one.'),
  diff: l10n.t('Choose a plan to see it as a diff.'),
  page: l10n.t('Choose a plan to see the run before and after it.'),
};

/** After this long the user wonders whether anything happens. */
const PATIENCE_MS = 1000;

const NONE = new ThemeIcon('circle-slash');
const COPY = new ThemeIcon('copy');
const GOAL = new ThemeIcon('target');
const NOT_USED = new ThemeIcon('dash');

function items(search: PlanSearch, question: Question): PlanItem[] {
  const { plans, rejected, reached, advice, fittingGpus } = search;
  const { goal, goals, rowOf, noneHeadline, fittingGpusText, how } = question;
  const buttons = PLAN_BUTTONS.filter(button => button.how !== how);
  const found = plans.map(plan => ({
    ...rowOf(plan),
    buttons,
    choice: { kind: 'plan', plan, how } as const,
  }));
  const elsewhere = fittingGpus && fittingGpusText(fittingGpus);
  const why = {
    label: reached ? l10n.t('It already fits') : noneHeadline(search, goal.goal),
    iconPath: NONE,
    alwaysShow: true,
    ...(elsewhere && { detail: elsewhere, choice: { kind: 'target' } as const }),
  };
  const none = found.length > 0 ? [] : [why];
  const others = goals
    .filter(other => other.goal !== goal.goal)
    .map(({ goal: id, label, detail }) => ({
      label,
      description: detail,
      iconPath: GOAL,
      choice: { kind: 'goal', goal: id } as const,
    }));
  const beside = advice.map(one => ({
    label: firstLine(one.text),
    detail: one.why,
    iconPath: COPY,
    choice: { kind: 'advice', advice: one } as const,
  }));
  const unused = rejected.map(({ remedy, why }) => ({ label: remedy, description: why, iconPath: NOT_USED }));
  return [
    ...found,
    ...none,
    ...below(l10n.t('Copy to clipboard'), beside),
    ...below(l10n.t('Other goals'), others),
    ...below(l10n.t('Not used'), unused),
  ];
}

const below = (label: string, rows: readonly PlanItem[]): readonly PlanItem[] =>
  rows.length === 0 ? [] : [{ label, kind: QuickPickItemKind.Separator }, ...rows];

/** A row has one line; what is copied has all of them. */
function firstLine(text: string): string {
  const [first = '', ...more] = text.split('\n');
  return more.length === 0 ? first : `${first} …`;
}
